#include "gateway/config/access/gateway_key.hpp"

#include "proxy/json/base64.hpp"

#include <openssl/rand.h>

#include <array>
#include <stdexcept>

namespace photofinish::gateway {
namespace {

constexpr std::string_view prefix = "pf-";
constexpr std::size_t public_size = 12, secret_bytes = 32, secret_size = 43;
constexpr std::string_view public_letters = "abcdefghijkmnpqrstuvwxyz23456789";  // 32 that are not taken for each other
static_assert(public_letters.size() == 32);
constexpr std::string_view secret_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

template <std::size_t size>
std::array<unsigned char, size> random_bytes() {
  std::array<unsigned char, size> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(size)) != 1) throw std::runtime_error("there are no random bytes");
  return bytes;
}

bool is_made_of(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace

proxy::secret make_gateway_key() {
  std::string key(prefix);
  for (const unsigned char each : random_bytes<public_size>()) key += public_letters[each % public_letters.size()];
  const auto bytes = random_bytes<secret_bytes>();
  return proxy::secret(key + "-" +
                       proxy::base64url_encoded({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

bool is_public_part(std::string_view text) {
  return text.size() == prefix.size() + public_size && text.starts_with(prefix) &&
         is_made_of(text.substr(prefix.size()), public_letters);
}

std::optional<std::string_view> public_part(std::string_view key) {
  constexpr std::size_t shown = prefix.size() + public_size;
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
