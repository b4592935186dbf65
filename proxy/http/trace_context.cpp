#include "proxy/http/trace_context.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace photofinish::proxy {
namespace {

constexpr std::size_t version_0_bytes = 55;
constexpr std::size_t max_bytes = 512;
constexpr std::ptrdiff_t max_members = 32;

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

// Converts at most 16 hex digits to a number.
std::uint64_t number_of(std::string_view hex) {
  std::uint64_t number = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  return number;
}

bool is_zero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= 0x20 && letter < 0x7F; });
}

}  // namespace

bool is_traceparent(std::string_view value) {
  if (value.size() < version_0_bytes || value.size() > max_bytes || !is_printable(value)) return false;
  if (value[2] != '-' || value[35] != '-' || value[52] != '-') return false;
  const std::string_view version = value.substr(0, 2), trace = value.substr(3, 32), parent = value.substr(36, 16);
  if (!is_hex(version) || !is_hex(trace) || !is_hex(parent) || !is_hex(value.substr(53, 2))) return false;
  if (version == "ff" || is_zero(trace) || is_zero(parent)) return false;
  return value.size() == version_0_bytes || (version != "00" && value[version_0_bytes] == '-');
}

std::optional<trace_parent> read_traceparent(std::string_view value) {
  if (!is_traceparent(value)) return std::nullopt;
  return trace_parent{.trace = {number_of(value.substr(3, 16)), number_of(value.substr(19, 16))},
                      .span = number_of(value.substr(36, 16)),
                      .is_sampled = (number_of(value.substr(53, 2)) & 1) != 0};
}

std::string to_traceparent(const trace_parent& parent) {
  return "00-" + to_hex(parent.trace) + "-" + to_hex(parent.span) + (parent.is_sampled ? "-01" : "-00");
}

bool is_tracestate(std::string_view value) {
  return !value.empty() && value.size() <= max_bytes && is_printable(value) &&
         value.find('=') != std::string_view::npos &&
         std::count(value.begin(), value.end(), ',') < max_members;
}

std::string to_hex(const trace_id& id) { return to_hex(id.high) + to_hex(id.low); }

std::string to_hex(span_id id) {
  std::string hex(16, '0');
  for (auto each = hex.rbegin(); each != hex.rend(); ++each, id >>= 4) *each = "0123456789abcdef"[id & 15];
  return hex;
}

}  // namespace photofinish::proxy
