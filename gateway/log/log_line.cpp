#include "gateway/log/log_line.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/json/json_text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_text = 200;
constexpr std::size_t usual_line_bytes = 512;

constexpr proxy::character_set plain("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:#");

// Cuts the text to at most longest_text bytes. Never cuts inside a character.
std::string_view bounded(std::string_view text) {
  std::size_t size = std::min(text.size(), longest_text);
  while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

bool is_plain(std::string_view text) { return !text.empty() && plain.holds_all(text); }

std::string readable(std::string_view text) {
  std::string out(text);
  if (simdjson::validate_utf8(out.data(), out.size())) return out;
  std::replace_if(out.begin(), out.end(), [](char each) { return static_cast<unsigned char>(each) >= 0x80; }, '?');
  return out;
}

// Escapes control characters and quotes. Some names come from requests, and must not be able to begin new lines or
// fields.
void append_harmless(std::string& line, std::string_view value) {
  if (plain.holds_all(value)) {
    line += value;
    return;
  }
  std::string text = proxy::shown_text(value);
  const auto is_harmful = [](char each) { return each == '"' || each == '\\'; };
  std::replace_if(text.begin(), text.end(), is_harmful, '?');
  line += text;
}

// Writes a value for human readers. The value is put in quotes if it contains a space or another character at which a
// reader would assume its end.
void append_text(std::string& line, std::string_view value) {
  const bool needs_quotes = value.empty() || value.find_first_of(" \";=") != std::string_view::npos;
  if (needs_quotes) line.push_back('"');
  append_harmless(line, value);
  if (needs_quotes) line.push_back('"');
}

// The text that precedes a field's value, such as " id=" and ",\"id\":". Each such text is made only once.
struct field_start {
  std::array<char, 24> bytes{};
  std::size_t size = 0;

  constexpr void add(std::string_view text) {
    for (const char each : text) bytes[size++] = each;
  }
  std::string_view text() const { return {bytes.data(), size}; }
};

using field_starts = std::array<field_start, log_field_names.size()>;

constexpr field_starts all_starts(std::string_view before, std::string_view behind) {
  field_starts all;
  for (std::size_t at = 0; at < all.size(); ++at)
    all[at].add(before), all[at].add(log_field_names[at]), all[at].add(behind);
  return all;
}

constexpr field_starts starts_in_text = all_starts(" ", "=");
constexpr field_starts starts_in_json = all_starts(",\"", "\":");

// True if the number is finite. False for nan and inf, with or without a sign.
bool is_number(std::string_view digits) {
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return !digits.empty() && digits[0] >= '0' && digits[0] <= '9';
}

}  // namespace

std::string quoted_for_log(std::string_view text) { return proxy::escape_controls(proxy::json_quote(readable(text))); }

log_line::log_line(log_form form, std::string_view event) : form_(form) {
  line_.reserve(usual_line_bytes);
  switch (form_) {
    case log_form::text: line_ = event; break;
    case log_form::logfmt: line_.append("event=").append(event); break;
    case log_form::json: line_.append(R"("event":")").append(event).append("\""); break;
  }
  has_fields_ = true;
}

void log_line::begin(log_field field) {
  const auto at = static_cast<std::size_t>(field);
  if (form_ != log_form::json) {
    line_ += starts_in_text[at].text();
    return;
  }
  line_ += starts_in_json[at].text().substr(has_fields_ ? 0 : 1);
  has_fields_ = true;
}

void log_line::word(log_field field, std::string_view value) {
  begin(field);
  if (form_ == log_form::json) line_.append("\"").append(value).append("\"");
  else line_ += value;
}

void log_line::number(log_field field, std::string_view digits) {
  begin(field);
  line_ += form_ == log_form::json && !is_number(digits) ? std::string_view("null") : digits;
}

void log_line::text(log_field field, std::string_view value) {
  value = bounded(value);
  if (is_plain(value)) return word(field, value);
  begin(field);
  if (form_ == log_form::text) append_text(line_, value);
  else line_ += quoted_for_log(value);
}

void log_line::begin_attempt(std::string_view target, std::string_view outcome, std::string_view reason) {
  const bool is_first = !std::exchange(has_attempts_, true);
  if (is_first) begin(log_field::attempts);
  else end_attempt();
  if (form_ == log_form::json) {
    line_ += is_first ? "[{" : ",{";
    has_fields_ = false;
    text(log_field::target, target);
    word(log_field::outcome, outcome);
    if (!reason.empty()) word(log_field::reason, reason);
    return;
  }
  line_ += is_first ? "\"" : "; ";
  append_harmless(line_, bounded(target));
  line_.append(" ").append(outcome);
  if (!reason.empty()) line_.append("/").append(reason);
}

void log_line::end_attempt() {
  if (form_ != log_form::json) return;
  line_ += "}";
  has_fields_ = true;
}

void log_line::end_attempts() {
  if (!has_attempts_) return;
  end_attempt();
  line_ += form_ == log_form::json ? "]" : "\"";
}

}  // namespace photofinish::gateway
