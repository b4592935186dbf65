// The public keys of an identity provider (a JWK Set, RFC 7517) for the algorithms RS256, ES256 and EdDSA.
#pragma once

#include "proxy/words/enum_words.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct evp_pkey_st;  // OpenSSL's type EVP_PKEY

namespace photofinish::gateway {

enum class jwt_algorithm : std::uint8_t { rs256, es256, eddsa };
constexpr auto words_of(jwt_algorithm) {
  using enum jwt_algorithm;
  return proxy::enum_words<jwt_algorithm, 3>{{{rs256, "RS256"}, {es256, "ES256"}, {eddsa, "EdDSA"}}};
}

struct verification_key {
  std::string id;  // the `kid` of the key; empty if it has none
  jwt_algorithm algorithm;
  std::shared_ptr<evp_pkey_st> key;  // the public key for OpenSSL; any thread may use it
};
using key_set = std::vector<verification_key>;

// Reads a key set. Skips weak keys and keys that are not for signatures. If two keys have the same id and algorithm,
// the first is used. On failure returns a human-readable reason: the text is not a key set, has more than 64 keys, or
// has no usable key.
std::variant<key_set, std::string> read_key_set(std::string_view json);

// Returns the key with the given id. If the id is empty and exactly one key has this algorithm, returns that key.
// Otherwise returns null.
const verification_key* find_key(const key_set& among, std::string_view id, jwt_algorithm algorithm);

}  // namespace photofinish::gateway
