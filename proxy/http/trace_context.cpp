#include "proxy/http/trace_context.hpp"

#include <algorithm>
#include <cstddef>

namespace photofinish::proxy {
namespace {

constexpr std::size_t version_0_bytes = 55;
constexpr std::size_t max_bytes = 512;
constexpr std::ptrdiff_t max_members = 32;

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

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

bool is_tracestate(std::string_view value) {
  return !value.empty() && value.size() <= max_bytes && is_printable(value) &&
         value.find('=') != std::string_view::npos &&
         std::count(value.begin(), value.end(), ',') < max_members;
}

}  // namespace photofinish::proxy
