#include "gateway/config/access/gateway_key.hpp"

namespace photofinish::gateway {
namespace {

constexpr std::size_t secret_size = 43;  // the length of a key's secret part in base64url
constexpr std::string_view secret_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool is_made_of(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace

bool is_public_part(std::string_view text) {
  return text.size() == gateway_key_prefix.size() + public_key_letters && text.starts_with(gateway_key_prefix) &&
         is_made_of(text.substr(gateway_key_prefix.size()), public_letters);
}

std::optional<std::string_view> public_part(std::string_view key) {
  constexpr std::size_t shown = gateway_key_prefix.size() + public_key_letters;
  if (key.size() != shown + 1 + secret_size || key[shown] != '-' || !is_public_part(key.substr(0, shown)))
    return std::nullopt;
  if (!is_made_of(key.substr(shown + 1), secret_letters)) return std::nullopt;
  return key.substr(0, shown);
}

std::string key_hash_of(std::string_view key) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string text = "sha256:";
  for (const unsigned char each : digest_of_key(key)) text.append({hex[each >> 4], hex[each & 15]});
  return text;
}

}  // namespace photofinish::gateway
