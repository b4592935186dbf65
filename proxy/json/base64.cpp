#include "proxy/json/base64.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace photofinish::proxy {
namespace {

constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The base64 value of each byte. Bytes outside the alphabet have the value 64.
constexpr std::array<std::uint8_t, 256> values_of_letters = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(64);
  for (std::size_t at = 0; at < base64_letters.size(); ++at)
    values[static_cast<std::uint8_t>(base64_letters[at])] = static_cast<std::uint8_t>(at);
  return values;
}();

}  // namespace

std::string base64_encoded(std::string_view text, base64_padding padding) {
  std::string out;
  out.reserve(text.size() / 3 * 4 + 4);
  std::uint32_t bits = 0;
  std::size_t held = 0;
  for (const char character : text) {
    bits = (bits << 8) | static_cast<std::uint8_t>(character);
    for (held += 8; held >= 6; held -= 6) out.push_back(base64_letters[(bits >> (held - 6)) & 63]);
  }
  if (held > 0) out.push_back(base64_letters[(bits << (6 - held)) & 63]);
  while (padding == base64_padding::wanted && out.size() % 4 != 0) out.push_back('=');
  return out;
}

bool append_base64_decoded(std::string_view text, std::string& out) {
  while (text.ends_with('=')) text.remove_suffix(1);
  const std::size_t before = out.size();
  std::uint32_t bits = 0;
  std::size_t held = 0;
  for (const char letter : text) {
    const std::uint8_t value = values_of_letters[static_cast<std::uint8_t>(letter)];
    if (value == 64) {
      out.resize(before);
      return false;
    }
    bits = (bits << 6) | value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<char>((bits >> held) & 0xFF));
  }
  return true;
}

std::string base64_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  append_base64_decoded(text, out);
  return out;
}

std::string base64url_encoded(std::string_view text) {
  std::string made = base64_encoded(text, base64_padding::unwanted);
  std::replace(made.begin(), made.end(), '+', '-');
  std::replace(made.begin(), made.end(), '/', '_');
  return made;
}

std::string base64url_decoded(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '-', '+');
  std::replace(plain.begin(), plain.end(), '_', '/');
  std::string bytes = base64_decoded(plain);
  return base64url_encoded(bytes) == text ? bytes : std::string();
}

}  // namespace photofinish::proxy
