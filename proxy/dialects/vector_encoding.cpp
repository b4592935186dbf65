#include "gateway/api/embeddings/vector_encoding.hpp"

#include "proxy/json/base64.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace photofinish::gateway {
namespace {

constexpr std::string_view embedding_key = "embedding";

// An embedding stands at the beginning of an answer, behind a few short members.
constexpr std::size_t first_sight = 4096;

constexpr std::string_view spaces = " \t\r\n";

proxy::failure not_numbers() {
  proxy::failure why;
  why.kind = proxy::failure_kind::bad_stream;
  why.detail = "an embedding cannot be given in the encoding that was asked for: it is not a list of finite numbers";
  return why;
}

std::optional<vector_encoding> encoding_of(std::string_view value) {
  if (proxy::json_is_array(value)) return vector_encoding::floats;
  if (proxy::json_is_string(value)) return vector_encoding::base64;
  return std::nullopt;
}

// A number that rounds to zero or to infinity is out of range for from_chars, which does not say which.
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

// `list` is a JSON array.
bool append_as_base64(std::string& to, std::string_view list) {
  std::string bytes;
  proxy::json_walk numbers(list);
  while (const auto number = numbers.next_element()) {
    const auto value = read_float(*number);
    if (!value) return false;
    append_bytes(bytes, *value);
  }
  to.append("\"").append(proxy::base64_encoded(bytes, proxy::base64_padding::wanted)).append("\"");
  return true;
}

bool append_as_floats(std::string& to, std::string_view text) {
  const std::string_view raw = proxy::json_raw_string(text);
  const bool is_escaped = raw.find('\\') != std::string_view::npos;  // "\/" for "/"
  const std::string bytes = is_escaped ? proxy::base64_decoded(proxy::json_unescape(raw)) : proxy::base64_decoded(raw);
  if (bytes.size() % 4 != 0 || (bytes.empty() && !raw.empty())) return false;
  to += '[';
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    const float value = float_at(bytes.data() + at);
    if (!std::isfinite(value)) return false;
    std::array<char, 24> space;
    const auto written = std::to_chars(space.data(), space.data() + space.size(), value);
    if (at > 0) to += ',';
    to.append(space.data(), written.ptr);
  }
  to += ']';
  return true;
}

}  // namespace

std::optional<vector_encoding> encoding_at_first_sight(std::string_view answer) {
  const std::string_view seen = answer.substr(0, first_sight);
  constexpr std::string_view key = "\"embedding\"";
  for (std::size_t at = seen.find(key); at != std::string_view::npos; at = seen.find(key, at + 1)) {
    const std::size_t colon = seen.find_first_not_of(spaces, at + key.size());
    if (colon == std::string_view::npos || seen[colon] != ':') continue;  // "object":"embedding"
    const std::size_t value = seen.find_first_not_of(spaces, colon + 1);
    if (value == std::string_view::npos) return std::nullopt;
    if (seen[value] == '[') return vector_encoding::floats;
    return seen[value] == '"' ? std::optional(vector_encoding::base64) : std::nullopt;
  }
  return std::nullopt;
}

proxy::result<std::string> encoded_as(std::string_view answer, vector_encoding to) {
  std::string out;
  out.reserve(answer.size());
  std::size_t kept_to = 0;  // of the answer
  proxy::json_walk entries(proxy::json_find(answer, "data").value_or("[]"));
  while (const auto entry = entries.next_element()) {
    const auto vector = proxy::json_is_object(*entry) ? proxy::json_find(*entry, embedding_key) : std::nullopt;
    if (!vector || encoding_of(*vector) == to) continue;
    const auto from = static_cast<std::size_t>(vector->data() - answer.data());
    out.append(answer.substr(kept_to, from - kept_to));
    kept_to = from + vector->size();
    const bool is_list = encoding_of(*vector) == vector_encoding::floats;
    const bool is_text = encoding_of(*vector) == vector_encoding::base64;
    if (is_list ? !append_as_base64(out, *vector) : !is_text || !append_as_floats(out, *vector)) return not_numbers();
  }
  return out.append(answer.substr(kept_to));
}

}  // namespace photofinish::gateway
