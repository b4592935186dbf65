#include "proxy/json/json_text.hpp"

#include "proxy/json/character_set.hpp"
#include "proxy/words/ascii.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace photofinish::proxy {
namespace {

constexpr character_set nesting_marks("\"{}[]");
constexpr character_set scalar_ends(",}] \n\r\t");

const char* skip_space(const char* at, const char* end) {
  while (at != end && is_json_space(*at)) ++at;
  return at;
}

// Skips a string, from its opening quote to the byte after its closing quote. The closing quote is the first quote
// after an even number of backslashes. Prompts are long strings, so the function uses memchr(), which skips many bytes
// per cycle.
const char* skip_string(const char* at, const char* end) {
  const char* from = ++at;
  while (at < end) {
    const auto* quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (quote == nullptr) return end;
    const char* escapes = quote;
    while (escapes > from && escapes[-1] == '\\') --escapes;
    if ((quote - escapes) % 2 == 0) return quote + 1;
    at = from = quote + 1;
  }
  return end;
}

// Skips from an opening bracket to the byte after the matching closing bracket.
const char* skip_nested(const char* at, const char* end) {
  std::size_t depth = 0;
  while (at < end) {
    if (!nesting_marks.holds(*at)) {
      ++at;
    } else if (*at == '"') {
      at = skip_string(at, end);
    } else {
      if (*at == '{' || *at == '[') ++depth;
      else if (--depth == 0) return at + 1;
      ++at;
    }
  }
  return end;
}

const char* skip_scalar(const char* at, const char* end) {
  while (at != end && !scalar_ends.holds(*at)) ++at;
  return at;
}

const char* skip_value(const char* at, const char* end) {
  if (at == end) return end;
  if (*at == '"') return skip_string(at, end);
  if (*at == '{' || *at == '[') return skip_nested(at, end);
  return skip_scalar(at, end);
}

std::string_view span(const char* from, const char* to) {
  return {from, static_cast<std::size_t>(to - from)};
}

std::optional<std::uint32_t> hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char letter : text.substr(0, 4)) {
    const int digit = hex_digit(letter);
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return value;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6)), byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12)), byte(0x80 | ((code >> 6) & 0x3F)), byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18)), byte(0x80 | ((code >> 12) & 0x3F)), byte(0x80 | ((code >> 6) & 0x3F)),
        byte(0x80 | (code & 0x3F));
  }
}

constexpr std::uint32_t replacement = 0xFFFD;

// Decodes a \uXXXX escape, and the escaped low surrogate after it if there is one. `at` is the offset of the first hex
// digit. Returns the number of characters that were read.
std::size_t unescape_unicode(std::string_view raw, std::size_t at, std::string& out) {
  const auto high = hex4(raw.substr(at));
  if (!high) return append_utf8(out, replacement), raw.size() - at;
  if (*high < 0xD800 || *high > 0xDFFF) return append_utf8(out, *high), 4;
  if (*high < 0xDC00 && raw.substr(at + 4, 2) == "\\u") {
    const auto low = hex4(raw.substr(at + 6));
    if (low && *low >= 0xDC00 && *low <= 0xDFFF)
      return append_utf8(out, 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00)), 10;
  }
  return append_utf8(out, replacement), 4;
}

bool keys_match(std::string_view raw_key, std::string_view key) {
  const auto has_escapes = [raw_key] { return raw_key.find('\\') != std::string_view::npos; };
  // A key with escapes is longer than the key that it encodes. Therefore, a raw key that is not longer than `key` can
  // equal `key` only if it has no escapes.
  if (raw_key.size() <= key.size()) return raw_key == key && !has_escapes();
  return has_escapes() && json_unescape(raw_key) == key;
}

// Checks eight characters at a time. Most texts are names, which are too short for vectorized loops to be worthwhile.
bool is_quotable_as_it_is(std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr auto has_zero = [](std::uint64_t bytes) { return (bytes - ones) & ~bytes & ones * 0x80; };
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data(), sizeof bytes);
    const std::uint64_t controls = (bytes - ones * 0x20) & ~bytes & ones * 0x80;
    if ((controls | has_zero(bytes ^ ones * '"') | has_zero(bytes ^ ones * '\\')) != 0) return false;
    text.remove_prefix(sizeof bytes);
  }
  return std::all_of(text.begin(), text.end(), [](char character) {
    return static_cast<unsigned char>(character) >= 0x20 && character != '"' && character != '\\';
  });
}

}  // namespace

json_walk::json_walk(std::string_view object_or_array)
    : at_(object_or_array.data()), end_(object_or_array.data() + object_or_array.size()) {
  at_ = skip_space(at_, end_);
  if (at_ != end_ && (*at_ == '{' || *at_ == '[')) ++at_;
  else at_ = end_;
}

json_walk::json_walk(std::string_view text, char opening)
    : at_(skip_space(text.data(), text.data() + text.size())), end_(text.data() + text.size()) {
  if (at_ != end_ && *at_ == opening) ++at_;
  else at_ = end_;
}

bool json_walk::step() {
  at_ = skip_space(at_, end_);
  if (!is_first_ && at_ != end_ && *at_ == ',') at_ = skip_space(at_ + 1, end_);
  is_first_ = false;
  return at_ != end_ && *at_ != '}' && *at_ != ']';
}

std::optional<json_member> json_walk::next_member() {
  if (!step() || *at_ != '"') return std::nullopt;
  const char* key = at_;
  const char* key_end = skip_string(at_, end_);
  if (key_end - key < 2) return at_ = end_, std::nullopt;
  at_ = skip_space(key_end, end_);
  if (at_ == end_ || *at_ != ':') return at_ = end_, std::nullopt;
  const char* value = skip_space(at_ + 1, end_);
  at_ = skip_value(value, end_);
  return json_member{span(key + 1, key_end - 1), span(value, at_), span(key, at_)};
}

std::optional<std::string_view> json_walk::next_element() {
  if (!step()) return std::nullopt;
  const char* value = at_;
  at_ = skip_value(at_, end_);
  if (at_ == value) return at_ = end_, std::nullopt;
  return span(value, at_);
}

std::string_view json_last_element(std::string_view array) {
  std::string_view last;
  for (const std::string_view each : json_elements(array)) last = each;
  return last;
}

std::optional<std::string_view> json_find(std::string_view object, std::string_view key) {
  for (const json_member& member : json_members(object))
    if (keys_match(member.raw_key, key)) return member.value;
  return std::nullopt;
}

bool json_is_string(std::string_view value) {
  value = without_space(value);
  return value.size() >= 2 && value.front() == '"' && value.back() == '"';
}
bool json_is_object(std::string_view value) { return value = without_space(value), !value.empty() && value[0] == '{'; }
bool json_is_array(std::string_view value) { return value = without_space(value), !value.empty() && value[0] == '['; }
bool json_is_null(std::string_view value) { return without_space(value) == "null"; }

std::string_view json_raw_string(std::string_view string_value) {
  const std::string_view text = without_space(string_value);
  return json_is_string(text) ? text.substr(1, text.size() - 2) : std::string_view{};
}

std::string_view json_string_at(std::string_view text) {
  if (!text.starts_with('"')) return {};
  return span(text.data(), skip_string(text.data(), text.data() + text.size()));
}

std::string_view json_value_at(std::string_view text) {
  return span(text.data(), skip_value(text.data(), text.data() + text.size()));
}

// Counts the characters { [ , and : outside strings. Each key and each value, except the outermost value, directly
// follows one of these characters.
bool has_more_values(std::string_view json, std::size_t most) {
  if (json.size() / 2 <= most) return false;
  const char* at = json.data();
  const char* const end = at + json.size();
  for (std::size_t count = 1; at < end; ++at) {
    if (*at == '"') {
      at = skip_string(at, end) - 1;
    } else if (*at == ',' || *at == ':' || *at == '[' || *at == '{') {
      if (++count > most) return true;
    }
  }
  return false;
}

std::optional<std::vector<std::string_view>> json_keys(std::string_view json, std::size_t most) {
  std::vector<std::string_view> keys;
  const char* const end = json.data() + json.size();
  for (const char* at = json.data(); at < end;) {
    if (*at != '"') {
      ++at;
      continue;
    }
    const char* const string_end = skip_string(at, end);
    const std::string_view key = span(at + 1, string_end - 1);
    at = skip_space(string_end, end);
    if (at == end || *at != ':') continue;
    if (key.find('\\') != std::string_view::npos) return std::nullopt;
    const auto place = std::lower_bound(keys.begin(), keys.end(), key);
    if (place != keys.end() && *place == key) continue;
    if (keys.size() == most) return std::nullopt;
    keys.insert(place, key);
  }
  return keys;
}

std::string json_unescape(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '\\' || at + 1 == raw.size()) {
      out.push_back(raw[at++]);
      continue;
    }
    const char escaped = raw[at + 1];
    at += 2;
    switch (escaped) {
      case 'b': out.push_back('\b'); break;
      case 'f': out.push_back('\f'); break;
      case 'n': out.push_back('\n'); break;
      case 'r': out.push_back('\r'); break;
      case 't': out.push_back('\t'); break;
      case 'u': at += unescape_unicode(raw, at, out); break;
      default: out.push_back(escaped);
    }
  }
  return out;
}

std::string json_quote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  out.push_back('"');
  if (is_quotable_as_it_is(text)) {
    out.append(text).push_back('"');
    return out;
  }
  for (const char character : text) {
    switch (character) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(character) < 0x20) {
          char escape[8];
          std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(character));
          out += escape;
        } else {
          out.push_back(character);
        }
    }
  }
  out += '"';
  return out;
}

}  // namespace photofinish::proxy
