#include "proxy/conversation/argument_object.hpp"

#include "proxy/json/json_scan.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <simdjson.h>

#include <optional>

namespace photofinish::proxy {
namespace {

void append_input(std::string_view value, std::string& out) { out.append(R"({"input":)").append(value).append("}"); }

// Returns the JSON text inside a JSON string. This is needed because some servers encode a call's arguments twice.
std::optional<std::string> text_in_string(std::string_view json) {
  if (!json_is_string(json)) return std::nullopt;
  std::string padded(json);
  padded.reserve(padded.size() + simdjson::SIMDJSON_PADDING);
  tolerant_parser parser;
  std::string_view text;
  if (parser.parse(padded).get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

}  // namespace

void append_argument_object(const block& call, std::string& out) {
  const std::string_view given = call.arguments;
  if (call.called == call_kind::custom) return append_input(given.empty() ? R"("")" : given, out);
  if (json_is_object(given)) {
    out += given;
    return;
  }
  out += argument_object(json_is_string(given) ? json_unescape(json_raw_string(given)) : std::string(given));
}

std::string argument_object(std::string_view text) {
  const std::string_view inside = without_space(text);
  if (inside.empty() || inside == "null") return "{}";
  if (is_whole_object(inside)) return std::string(inside);
  if (const auto text_inside = text_in_string(inside)) {
    const std::string_view object = without_space(*text_inside);
    if (is_whole_object(object)) return std::string(object);
  }
  std::string object;
  append_input(json_quote(text), object);
  return object;
}

bool is_broken_object(std::string_view text) {
  const std::string_view inside = without_space(text);
  return inside.starts_with('{') && !is_whole_object(inside);
}

std::string free_text_in(std::string_view arguments) {
  std::string padded(arguments);
  padded.reserve(padded.size() + simdjson::SIMDJSON_PADDING);
  tolerant_parser parser;
  simdjson::dom::element root;
  simdjson::dom::object members;
  if (parser.parse(padded).get(root) != simdjson::SUCCESS || root.get(members) != simdjson::SUCCESS)
    return std::string(arguments);
  if (members.size() == 0) return {};
  std::string_view input;
  if (members["input"].get(input) == simdjson::SUCCESS) return std::string(input);
  const bool is_lone = members.size() == 1 && (*members.begin()).value.get(input) == simdjson::SUCCESS;
  return std::string(is_lone ? input : arguments);
}

}  // namespace photofinish::proxy
