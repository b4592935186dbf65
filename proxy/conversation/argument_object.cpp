#include "proxy/conversation/argument_object.hpp"

#include "proxy/json/json_scan.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::proxy {
namespace {

void append_input(std::string_view value, std::string& out) { out.append(R"({"input":)").append(value).append("}"); }

bool is_object(std::string_view text) {
  json_scan scan;
  return scan.see(text) && scan.is_complete();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t from = text.find_first_not_of(space);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(space) + 1 - from);
}

}  // namespace

void append_argument_object(const block& call, std::string& out) {
  const std::string_view given = call.arguments;
  if (call.called == call_kind::custom) return append_input(given.empty() ? R"("")" : given, out);
  if (json_is_object(given)) {
    out += given;
    return;
  }
  const bool is_string = json_is_string(given);
  const std::string text = is_string ? json_unescape(json_raw_string(given)) : std::string(given);
  const std::string_view inside = trimmed(text);
  if (inside.empty()) out += "{}";
  else if (is_object(inside)) out += inside;
  else append_input(is_string ? std::string(given) : json_quote(given), out);
}

}  // namespace photofinish::proxy
