#include "proxy/json/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace photofinish::proxy {
namespace {

constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_encoded(std::string_view text, base64_padding padding) {
  std::string out;
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

std::string base64_decoded(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  std::uint32_t bits = 0;
  std::size_t held = 0;
  for (const char letter : text) {
    const std::size_t value = base64_letters.find(letter);
    if (value == std::string_view::npos) return {};
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<char>((bits >> held) & 0xFF));
  }
  return out;
}

}  // namespace photofinish::proxy
