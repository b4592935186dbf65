#include "proxy/conversation/forms/argument_object.hpp"

#include "proxy/json/json_scan.hpp"

namespace photofinish::proxy {
namespace {

void append_input(std::string_view text, std::string& out) {
  out.append(R"({"input":)").append(text.empty() ? R"("")" : text).append("}");
}

bool is_valid_object(std::string_view text) {
  json_scan scan;
  return scan.see(text) && scan.is_complete();
}

}  // namespace

void append_argument_object(const block& call, std::string& out) {
  if (call.called == call_kind::custom) return append_input(call.arguments, out);
  if (json_is_object(call.arguments)) {
    out += call.arguments;
    return;
  }
  const std::string text = json_unescape(json_raw_string(call.arguments));
  const bool is_blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (is_blank) out += "{}";
  else if (is_valid_object(text)) out += text;
  else append_input(call.arguments, out);
}

}  // namespace photofinish::proxy
