#include "proxy/dialects/vector_encoding.hpp"

#include "proxy/json/base64.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace photofinish::proxy {
namespace {

constexpr std::string_view embedding_key = "embedding";

// The number of bytes at the beginning of an answer that are searched for the first embedding. Only a few short members
// precede the first embedding.
constexpr std::size_t first_sight = 4096;

constexpr std::string_view spaces = " \t\r\n";

std::optional<vector_encoding> encoding_of(std::string_view value) {
  if (json_is_array(value)) return vector_encoding::floats;
  if (json_is_string(value)) return vector_encoding::base64;
  return std::nullopt;
}

// Reads a number. If std::from_chars reports "out of range", strtof() reads the number again and rounds it to zero or
// to infinity.
std::optional<float> read_float(std::string_view number) {
  float value = 0;
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, value);
  if (read.ec == std::errc::result_out_of_range) value = std::strtof(std::string(number).c_str(), nullptr);
  else if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void append_bytes(std::string& to, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::array<char, 4> bytes{static_cast<char>(bits), static_cast<char>(bits >> 8), static_cast<char>(bits >> 16),
                                  static_cast<char>(bits >> 24)};
  to.append(bytes.data(), bytes.size());
}

float float_at(const char* place) {
  std::uint32_t bits = 0;
  for (std::size_t at = 4; at-- > 0;) bits = (bits << 8) | static_cast<std::uint8_t>(place[at]);
  return std::bit_cast<float>(bits);
}

// Appends the numbers of `list`, a JSON array, as base64.
bool append_as_base64(std::string& to, std::string_view list) {
  std::string bytes;
  for (const std::string_view number : json_elements(list)) {
    const auto value = read_float(number);
    if (!value) return false;
    append_bytes(bytes, *value);
  }
  to.append("\"").append(base64_encoded(bytes, base64_padding::wanted)).append("\"");
  return true;
}

bool append_as_floats(std::string& to, std::string_view text) {
  const std::string_view raw = json_raw_string(text);
  const bool is_escaped = raw.find('\\') != std::string_view::npos;  // a JSON string may contain a slash as "\/"
  const std::string bytes = is_escaped ? base64_decoded(json_unescape(raw)) : base64_decoded(raw);
  if (bytes.size() % 4 != 0 || (bytes.empty() && !raw.empty())) return false;
  to += '[';
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    const float value = float_at(bytes.data() + at);
    if (!std::isfinite(value)) return false;
    std::array<char, 24> space;
    const auto written = std::to_chars(space.data(), space.data() + space.size(), value);
    if (at > 0) to += ',';
    to.append(space.data(), written.ptr);
    // Many JSON parsers read "-0" as an integer without a sign, so "-0.0" is written.
    if (value == 0 && std::signbit(value)) to += ".0";
  }
  to += ']';
  return true;
}

// Returns the offset of the first embedding's value if it is near the beginning of the answer. Otherwise returns
// nullopt.
std::optional<std::size_t> place_at_first_sight(std::string_view answer) {
  const std::string_view seen = answer.substr(0, first_sight);
  constexpr std::string_view key = "\"embedding\"";
  for (std::size_t at = seen.find(key); at != std::string_view::npos; at = seen.find(key, at + 1)) {
    const std::size_t colon = seen.find_first_not_of(spaces, at + key.size());
    // If no colon follows "embedding", the word is a value and not a key, as in "object":"embedding".
    if (colon == std::string_view::npos || seen[colon] != ':') continue;
    const std::size_t value = seen.find_first_not_of(spaces, colon + 1);
    return value == std::string_view::npos ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}

// Returns the value of the member with this name, or nullopt if there is none. Fails if several members have this name.
result<std::optional<std::string_view>> only_member(std::string_view object, std::string_view key) {
  std::optional<std::string_view> found;
  for (const json_member& member : json_members(object)) {
    if (!json_key_is(member.raw_key, key)) continue;
    if (found) return not_convertible();
    found = member.value;
  }
  return found;
}

// True if the base64 text has the right length for a list of complete float32s.
bool holds_whole_floats(std::string_view raw) {
  // A text with escapes is checked later, when it is decoded.
  if (raw.find('\\') != std::string_view::npos) return true;
  while (raw.ends_with('=')) raw.remove_suffix(1);
  return raw.size() * 3 / 4 % 4 == 0;
}

}  // namespace

std::optional<vector_encoding> encoding_asked_for(const client_body& request) {
  const std::string_view type = request.value_of("output_dtype");
  if (!type.empty() && !json_is_null(type) && type != R"("float")") return std::nullopt;
  const std::string_view value = request.value_of("encoding_format");
  if (value.empty() || json_is_null(value)) return vector_encoding::floats;
  const std::string word = json_unescape(json_raw_string(value));
  if (word == "base64") return vector_encoding::base64;
  return word == "float" ? std::optional(vector_encoding::floats) : std::nullopt;
}

failure not_convertible() {
  return bad_stream(
      "an embedding cannot be converted to the requested encoding: it is not a list of finite numbers");
}

std::optional<vector_encoding> encoding_at_first_sight(std::string_view answer) {
  const auto place = place_at_first_sight(answer);
  if (!place) return std::nullopt;
  if (answer[*place] == '[') return vector_encoding::floats;
  return answer[*place] == '"' ? std::optional(vector_encoding::base64) : std::nullopt;
}

bool is_convertible_at_first_sight(std::string_view answer) {
  const auto place = place_at_first_sight(answer);
  if (!place) return true;
  if (answer[*place] == '"') {
    const std::string_view raw = answer.substr(*place + 1);
    return holds_whole_floats(raw.substr(0, raw.find('"')));
  }
  const std::size_t first = answer.find_first_not_of(spaces, *place + 1);
  // The first character of an array of numbers: the beginning of a number, or the closing bracket of an empty array.
  constexpr std::string_view begins_a_number = "-0123456789]";
  return first == std::string_view::npos || begins_a_number.find(answer[first]) != std::string_view::npos;
}

result<std::string> encoded_as(std::string_view answer, vector_encoding to) {
  const auto data = only_member(answer, "data");
  if (!data) return data.error();
  std::string out;
  out.reserve(answer.size());
  std::size_t kept_to = 0;  // the offset in the answer up to which the text was already copied
  for (const std::string_view entry : json_elements(data->value_or("[]"))) {
    if (!json_is_object(entry)) continue;
    const auto only = only_member(entry, embedding_key);
    if (!only) return only.error();
    const std::optional<std::string_view>& vector = *only;
    if (!vector || encoding_of(*vector) == to) continue;
    const auto from = static_cast<std::size_t>(vector->data() - answer.data());
    out.append(answer.substr(kept_to, from - kept_to));
    kept_to = from + vector->size();
    const std::optional<vector_encoding> is = encoding_of(*vector);
    const bool is_done = is == vector_encoding::floats   ? append_as_base64(out, *vector)
                         : is == vector_encoding::base64 ? append_as_floats(out, *vector)
                                                         : false;
    if (!is_done) return not_convertible();
  }
  return out.append(answer.substr(kept_to));
}

}  // namespace photofinish::proxy
