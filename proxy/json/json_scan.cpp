#include "proxy/json/json_scan.hpp"

#include "proxy/json/character_set.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>

namespace photofinish::proxy {
namespace {

constexpr bool is_hex(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// Bytes in a JSON string that need special handling: the closing quote, a backslash, and bytes that JSON forbids.
constexpr std::array<bool, 256> marks_in_strings = [] {
  std::array<bool, 256> marks{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) marks[byte] = true;
  marks['"'] = marks['\\'] = true;
  return marks;
}();

// Returns the number of bytes at the end of the text that may belong to an incomplete UTF-8 character.
std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return 0;
    if (byte >= 0xC0) return back;
  }
  return 0;
}

}  // namespace

bool json_scan::see(std::string_view text) {
  while (at_ < text.size() && !is_broken_) {
    switch (within_) {
      case within::structure: read_structure(text); break;
      case within::key:
      case within::string: read_string(text); break;
      case within::word: read_word(text); break;
      case within::number: read_number(text); break;
    }
  }
  is_broken_ = is_broken_ || !check_utf8(text);
  return !is_broken_;
}

std::vector<json_member> json_scan::members(std::string_view text) const {
  std::vector<json_member> all;
  for (const place& each : members_) {
    const std::size_t quote = each.key_from - 1;
    all.push_back({text.substr(each.key_from, each.key_to - each.key_from), text.substr(each.from, each.to - each.from),
                   text.substr(quote, each.to - quote)});
  }
  return all;
}

void json_scan::read_structure(std::string_view text) {
  while (at_ < text.size() && within_ == within::structure && !is_broken_) {
    const char byte = text[at_];
    if (!is_json_space(byte)) take(byte);
    ++at_;
  }
}

void json_scan::take(char byte) {
  switch (expected_) {
    case expected::object:
      if (byte == '{') open(true);
      else is_broken_ = true;
      return;
    case expected::first_key:
      if (byte == '}') return close(true);
      [[fallthrough]];
    case expected::key:
      is_broken_ = byte != '"';
      within_ = within::key;
      current_.key_from = depth_ == 1 ? at_ + 1 : current_.key_from;
      return;
    case expected::colon:
      is_broken_ = byte != ':';
      expected_ = expected::value;
      return;
    case expected::first_value:
      if (byte == ']') return close(false);
      [[fallthrough]];
    case expected::value: return begin_value(byte);
    case expected::comma:
      if (byte == ',') expected_ = is_in_object() ? expected::key : expected::value;
      else if (byte == '}' || byte == ']') close(byte == '}');
      else is_broken_ = true;
      return;
    case expected::nothing: is_broken_ = true; return;
  }
}

void json_scan::begin_value(char byte) {
  if (depth_ == 1) current_.from = at_;
  if (byte == '{' || byte == '[') return open(byte == '{');
  if (byte == '"') return void(within_ = within::string);
  if (byte == '-' || is_digit(byte)) {
    within_ = within::number;
    return begin_number(byte);
  }
  word_ = byte == 't' ? "rue" : byte == 'f' ? "alse" : byte == 'n' ? "ull" : "";
  is_broken_ = word_.empty();
  within_ = within::word;
}

void json_scan::open(bool is_object) {
  if (depth_ == max_depth) return void(is_broken_ = true);
  is_object_[depth_++] = is_object;
  expected_ = is_object ? expected::first_key : expected::first_value;
}

void json_scan::close(bool is_object) {
  if (is_in_object() != is_object) return void(is_broken_ = true);
  --depth_;
  ++at_;  // the text of an object or list includes its closing bracket
  end_value();
  --at_;
}

void json_scan::read_string(std::string_view text) {
  while (at_ < text.size()) {
    if (escape_ != escape::none) {
      read_escape(text[at_++]);
      if (is_broken_) return;
      continue;
    }
    while (at_ < text.size() && !marks_in_strings[static_cast<unsigned char>(text[at_])]) ++at_;
    if (at_ == text.size()) return;
    const char mark = text[at_++];
    if (mark == '"') return end_string();
    if (mark != '\\') return void(is_broken_ = true);
    escape_ = escape::begun;
  }
}

void json_scan::read_escape(char byte) {
  constexpr std::string_view simple = "\"\\/bfnrt";
  if (escape_ == escape::begun) {
    is_broken_ = byte != 'u' && simple.find(byte) == std::string_view::npos;
    escape_ = byte == 'u' ? escape::hex1 : escape::none;
    return;
  }
  is_broken_ = !is_hex(byte);
  escape_ = escape_ == escape::hex4 ? escape::none : static_cast<escape>(static_cast<int>(escape_) + 1);
}

// Finishes reading a string. `at_` must be the offset directly after the closing quote.
void json_scan::end_string() {
  if (within_ == within::string) return end_value();
  within_ = within::structure;
  expected_ = expected::colon;
  if (depth_ == 1) current_.key_to = at_ - 1;
}

void json_scan::read_word(std::string_view text) {
  while (at_ < text.size() && !word_.empty()) {
    if (text[at_] != word_.front()) return void(is_broken_ = true);
    word_.remove_prefix(1);
    ++at_;
  }
  if (word_.empty()) end_value();
}

void json_scan::read_number(std::string_view text) {
  do {
    while (at_ < text.size() && take_in_number(text[at_])) {
      ++at_;
      const bool has_more = digits_ == digits::whole || digits_ == digits::fraction;
      while (has_more && at_ < text.size() && is_digit(text[at_])) ++at_;
    }
    if (at_ == text.size()) return;
    const bool is_whole = digits_ == digits::zero || digits_ == digits::whole || digits_ == digits::fraction ||
                          digits_ == digits::exponent;
    if (!is_whole) return void(is_broken_ = true);
  } while (begins_next_number(text));
  end_value();
}

// Begins the next number of a list directly after the comma. This shortcut saves time, because long answers with
// embeddings consist mostly of lists of numbers.
bool json_scan::begins_next_number(std::string_view text) {
  if (text[at_] != ',' || is_in_object() || at_ + 1 == text.size()) return false;
  const char first = text[at_ + 1];
  if (first != '-' && !is_digit(first)) return false;
  begin_number(first);
  at_ += 2;
  return true;
}

void json_scan::begin_number(char first) {
  digits_ = first == '-' ? digits::minus : first == '0' ? digits::zero : digits::whole;
}

// Reads the next byte of a number. Returns false if `byte` does not belong to the number.
bool json_scan::take_in_number(char byte) {
  const bool may_have_digit = digits_ != digits::zero;
  if (is_digit(byte)) {
    if (digits_ == digits::minus) digits_ = byte == '0' ? digits::zero : digits::whole;
    else if (digits_ == digits::point) digits_ = digits::fraction;
    else if (digits_ == digits::e || digits_ == digits::sign) digits_ = digits::exponent;
    return may_have_digit;
  }
  const bool is_integer = digits_ == digits::zero || digits_ == digits::whole;
  if (byte == '.' && is_integer) return digits_ = digits::point, true;
  if ((byte == 'e' || byte == 'E') && (is_integer || digits_ == digits::fraction)) return digits_ = digits::e, true;
  if ((byte == '+' || byte == '-') && digits_ == digits::e) return digits_ = digits::sign, true;
  return false;
}

// Finishes reading a value. `at_` must be the offset directly after the value.
void json_scan::end_value() {
  within_ = within::structure;
  expected_ = depth_ == 0 ? expected::nothing : expected::comma;
  if (depth_ != 1 || members_.size() == kept_members) return;
  current_.to = at_;
  members_.push_back(current_);
}

bool json_scan::check_utf8(std::string_view text) {
  const std::size_t to = text.size() - unfinished_bytes(text.substr(valid_to_));
  const std::string_view fresh = text.substr(valid_to_, to - valid_to_);
  valid_to_ = to;
  return simdjson::validate_utf8(fresh.data(), fresh.size());
}

}  // namespace photofinish::proxy
