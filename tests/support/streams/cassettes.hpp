// Recorded exchanges of HTTP in YAML (VCR's cassettes), which are not part of this project either.
#pragma once

#include "proxy/json/base64.hpp"

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::test {

// Scalars without quotes are numbers, booleans and null where they can be.
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

// yaml-cpp does not read the tag of base64 in lists: a body that has it gets a name of its own.
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

// The answers to requests whose URL has `verb`.
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

// All of a short stream; of a long one those near the events that begin with `mark`, and a thousand seeded ones.
inline std::vector<std::size_t> cuts_of(const std::string& bytes, std::string_view mark) {
  constexpr std::size_t most_cut_everywhere = 16u << 10;
  std::vector<std::size_t> cuts;
  if (bytes.size() <= most_cut_everywhere) {
    for (std::size_t at = 1; at < bytes.size(); ++at) cuts.push_back(at);
    return cuts;
  }
  for (std::size_t at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1))
    for (std::size_t near = at < 8 ? 0 : at - 8; near <= at + 8; ++near) cuts.push_back(near);
  std::mt19937 chance(20260822);
  for (int each = 0; each < 1000; ++each) cuts.push_back(chance() % bytes.size());
  return cuts;
}

}  // namespace photofinish::test
