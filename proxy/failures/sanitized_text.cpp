#include "proxy/failures/sanitized_text.hpp"

#include <algorithm>
#include <cstdint>

namespace photofinish::proxy {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (byte_at(text, at) & 0xC0) == 0x80;
}

// Returns the length of the UTF-8 sequence at `at`, or 0 if there is no valid sequence (RFC 3629: no overlong
// forms, no surrogates).
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

bool is_control(std::string_view one) {
  if (one.size() == 1) return byte_at(one, 0) < 0x20 || byte_at(one, 0) == 0x7F;
  const std::uint8_t second = one.size() < 2 ? 0 : byte_at(one, 1);
  if (one.size() == 2) return (byte_at(one, 0) == 0xC2 && second < 0xA0) || one == "\u061C";
  if (one.size() != 3 || byte_at(one, 0) != 0xE2) return false;
  const std::uint8_t last = byte_at(one, 2);
  if (second == 0x81) return last >= 0xA6 && last <= 0xA9;
  return second == 0x80 && (last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE));
}

// True for a control character that separates words.
bool is_line_end(std::string_view one) { return one == "\u0085" || one == "\u2028" || one == "\u2029"; }

enum class line_ends { replaced, kept };

bool is_kept(std::string_view text, std::size_t at, line_ends ends) {
  if (ends == line_ends::replaced) return false;
  return text[at] == '\n' || text[at] == '\t' || text.substr(at, 2) == "\r\n";
}

std::string shown(std::string_view text, line_ends ends) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const std::string_view taken = text.substr(at, std::max<std::size_t>(length, 1));
    const bool is_shown = length != 0 && (is_kept(text, at, ends) || !is_control(taken));
    out.append(is_shown ? taken : std::string_view("?"));
    at += taken.size();
  }
  return out;
}

}  // namespace

std::size_t control_length(std::string_view text, std::size_t at) {
  const std::size_t length = sequence_length(text, at);
  return is_control(text.substr(at, length)) ? length : 0;
}

std::string json_escape_of(std::string_view control) {
  std::uint32_t code = byte_at(control, 0);
  if (control.size() > 1) code &= control.size() == 2 ? 0x1F : 0x0F;
  for (std::size_t at = 1; at < control.size(); ++at) code = code << 6 | (byte_at(control, at) & 0x3F);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string escape = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) escape.push_back(digits[code >> shift & 0x0F]);
  return escape;
}

std::string shown_text(std::string_view text) { return shown(text, line_ends::replaced); }

std::string shown_lines(std::string_view text) { return shown(text, line_ends::kept); }

std::string escape_controls(std::string json) {
  const auto may_begin_one = [](char each) { return static_cast<std::uint8_t>(each) >= 0x7F; };
  if (std::none_of(json.begin(), json.end(), may_begin_one)) return json;
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t length = may_begin_one(json[at]) ? control_length(json, at) : 0;
    if (length > 0) out.append(json_escape_of(std::string_view(json).substr(at, length)));
    else out.push_back(json[at]);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string clean_text(std::string_view text, std::size_t max_bytes) {
  std::string out;
  bool space_is_due = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const std::string_view taken = text.substr(at, std::max<std::size_t>(length, 1));
    at += taken.size();
    if (is_space(taken) || is_line_end(taken)) space_is_due = !out.empty();
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
