#include "proxy/dialects/repairs/unique_calls.hpp"

#include <cstddef>

namespace photofinish::proxy {
namespace {

// In JSON, this text with its quotes can occur only as a key. Inside a JSON string, the quotes would be escaped.
constexpr std::string_view call_id_key = "\"call_id\"";
constexpr std::string_view counted_prefix = "call_";
constexpr std::size_t most_call_digits = 4;
constexpr std::size_t readable_padding = 64;

// `rest` is the JSON after the key `call_id`. If the id consists of `call_` and a number, returns the offset of the
// number in `rest`. Otherwise returns 0.
std::size_t length_before_number(std::string_view rest) {
  std::size_t at = rest.find_first_not_of(" \t");
  if (at == std::string_view::npos || rest[at] != ':') return 0;
  at = rest.find_first_not_of(" \t", at + 1);
  if (at == std::string_view::npos || rest[at] != '"') return 0;
  const std::string_view id = rest.substr(at + 1, counted_prefix.size() + most_call_digits + 1);
  const std::size_t end = id.find('"');
  if (!id.starts_with(counted_prefix) || end == std::string_view::npos || end == counted_prefix.size()) return 0;
  const std::string_view number = id.substr(counted_prefix.size(), end - counted_prefix.size());
  return number.find_first_not_of("0123456789") == std::string_view::npos ? at + 1 + counted_prefix.size() : 0;
}

}  // namespace

std::string_view with_unique_calls(std::string_view json, std::string_view answer_id, std::string& into) {
  if (answer_id.empty()) return json;
  into.clear();
  std::size_t written = 0;
  for (std::size_t at = json.find(call_id_key); at != std::string_view::npos; at = json.find(call_id_key, at)) {
    at += call_id_key.size();
    const std::size_t before = length_before_number(json.substr(at));
    if (before == 0) continue;
    at += before;
    into.append(json.substr(written, at - written)).append(answer_id).append("_");
    written = at;
  }
  if (written == 0) return json;
  into.append(json.substr(written));
  into.reserve(into.size() + readable_padding);
  return into;
}

}  // namespace photofinish::proxy
