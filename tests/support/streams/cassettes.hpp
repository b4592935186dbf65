// Reads recorded HTTP exchanges in YAML (cassettes of the tool VCR). The cassettes are not part of this project.
#pragma once

#include "proxy/json/base64.hpp"
#include "tests/support/streams/recordings.hpp"

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::test {

// A YAML scalar without quotes becomes a number, a boolean or null if it looks like such a value.
inline nlohmann::json json_of(const YAML::Node& node) {
  using nlohmann::json;
  if (node.IsMap()) {
    json object = json::object();
    for (const auto& each : node) object[each.first.as<std::string>()] = json_of(each.second);
    return object;
  }
  if (node.IsSequence()) {
    json list = json::array();
    for (const auto& each : node) list.push_back(json_of(each));
    return list;
  }
  if (!node.IsScalar()) return nullptr;
  if (node.Tag() == "!") return node.Scalar();
  const json plain = json::parse(node.Scalar(), nullptr, false);
  return plain.is_number() || plain.is_boolean() || plain.is_null() ? plain : json(node.Scalar());
}

// Turns YAML's base64 tag into an ordinary member named `binary`, because yaml-cpp does not read this tag in lists.
inline std::string without_binary_tags(std::string text) {
  const auto replace = [&text](std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
      text.replace(at, what.size(), with);
  };
  replace("string: !!binary |", "binary: |");
  replace("!!binary |", "|");
  return text;
}

inline std::string bytes_of(const YAML::Node& body) {
  if (!body["binary"]) return body["string"].as<std::string>();
  std::string text = body["binary"].as<std::string>();
  std::erase_if(text, [](char each) { return each == '\n' || each == ' '; });
  return proxy::base64_decoded(text);
}

struct cassette {
  std::vector<std::string> streams;
  std::vector<nlohmann::json> wholes;
};

// Reads the recorded answers to the requests whose URL contains `verb`.
inline cassette read_cassette(const std::filesystem::path& path, std::string_view verb) {
  cassette read;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  if (text.str().find(verb) == std::string::npos) return read;
  for (const auto& each : YAML::Load(without_binary_tags(text.str()))["interactions"]) {
    if (!each["request"] || each["request"]["uri"].as<std::string>().find(verb) == std::string::npos) continue;
    const YAML::Node answered = each["response"];
    if (answered["parsed_body"]) read.wholes.push_back(json_of(answered["parsed_body"]));
    else if (answered["body"] && (answered["body"]["string"] || answered["body"]["binary"])) read.streams.push_back(bytes_of(answered["body"]));
  }
  return read;
}

// A successful exchange.
struct recorded_exchange {
  std::string cassette;
  bool is_stream = false;
  std::string bytes;
};

// Returns the successful exchanges in every cassette whose path ends with `path`.
inline std::vector<recorded_exchange> recorded_exchanges(std::string_view path) {
  std::vector<recorded_exchange> found;
  const auto root = recordings();
  if (!root) return found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*root / "cassettes")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string text = recorded_text(entry.path());
    if (text.find(path) == std::string::npos) continue;
    for (const auto& each : YAML::Load(without_binary_tags(text))["interactions"]) {
      if (!each["request"] || !each["response"]) continue;
      const auto uri = each["request"]["uri"].as<std::string>();
      const YAML::Node answered = each["response"];
      const bool is_good = answered["status"] && answered["status"]["code"].as<int>() == 200;
      if (!is_good || !std::string_view(uri).substr(0, uri.find_first_of("?#")).ends_with(path)) continue;
      recorded_exchange one{entry.path().filename().string(), false, {}};
      if (answered["parsed_body"]) one.bytes = json_of(answered["parsed_body"]).dump();
      else if (answered["body"] && (answered["body"]["string"] || answered["body"]["binary"])) one.bytes = bytes_of(answered["body"]);
      one.is_stream = !one.bytes.starts_with("{") && one.bytes.find("data: ") != std::string::npos;
      if (!one.bytes.empty()) found.push_back(std::move(one));
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& one, const auto& other) { return one.cassette < other.cassette; });
  return found;
}

// Returns the JSON of each event in a recorded stream.
inline std::vector<std::string> data_lines_of(const std::string& bytes) {
  std::vector<std::string> all;
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.starts_with("data: {")) all.push_back(line.substr(6));
  }
  return all;
}

}  // namespace photofinish::test
