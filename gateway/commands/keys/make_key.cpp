#include "gateway/commands/keys/make_key.hpp"

#include "gateway/config/access/gateway_key.hpp"
#include "proxy/json/base64.hpp"

#include <openssl/rand.h>

#include <array>
#include <stdexcept>
#include <string>

namespace photofinish::gateway {
namespace {

// 32 divides 256, so a random byte gives each letter with the same probability.
static_assert(public_letters.size() == 32);

// Returns random bytes from OpenSSL, which also generates the gateway's other secrets.
template <std::size_t size>
std::array<unsigned char, size> random_bytes() {
  std::array<unsigned char, size> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(size)) != 1)
    throw std::runtime_error("the system returned no random bytes");
  return bytes;
}

}  // namespace

proxy::secret make_gateway_key() {
  std::string key(gateway_key_prefix);
  for (const unsigned char each : random_bytes<public_key_letters>())
    key += public_letters[each % public_letters.size()];
  const auto bytes = random_bytes<secret_key_bytes>();
  return proxy::secret(key + "-" +
                       proxy::base64url_encoded({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

}  // namespace photofinish::gateway
