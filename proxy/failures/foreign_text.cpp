#include "proxy/failures/foreign_text.hpp"

#include <algorithm>
#include <cstdint>

namespace photofinish::proxy {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (byte_at(text, at) & 0xC0) == 0x80;
}

// The length of the UTF-8 sequence at `at`; 0 where there is none (RFC 3629: nothing overlong, no
// surrogates).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const std::uint8_t lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !is_continuation(text, at + 1)) return 0;
  if (lead < 0xE0) return 2;
  const std::uint8_t second = byte_at(text, at + 1);
  if (!is_continuation(text, at + 2)) return 0;
  if (lead < 0xF0) return (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ? 0 : 3;
  if (!is_continuation(text, at + 3)) return 0;
  return (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F) ? 0 : 4;
}

bool is_space(std::string_view one) { return one.size() == 1 && one.find_first_of(" \t\r\n\v\f") == 0; }

// C0, DEL, and C1, which is 0xC2 0x80..0x9F in UTF-8.
bool is_control(std::string_view one) {
  if (one.size() == 1) return byte_at(one, 0) < 0x20 || byte_at(one, 0) == 0x7F;
  return one.size() == 2 && byte_at(one, 0) == 0xC2 && byte_at(one, 1) < 0xA0;
}

}  // namespace

std::string clean_text(std::string_view text, std::size_t max_bytes) {
  std::string out;
  bool space_is_due = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const std::string_view taken = text.substr(at, std::max<std::size_t>(length, 1));
    at += taken.size();
    if (is_space(taken)) space_is_due = !out.empty();
    if (length != 0 && (is_space(taken) || is_control(taken))) continue;
    const std::string_view shown = length == 0 ? replacement : taken;
    if (out.size() + (space_is_due ? 1 : 0) + shown.size() + ellipsis.size() > max_bytes)
      return out.append(ellipsis);
    if (space_is_due) out.push_back(' ');
    space_is_due = false;
    out.append(shown);
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    out.append(length == 0 ? replacement : text.substr(at, length));
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

}  // namespace photofinish::proxy
