// The public keys of an identity provider (a JWK Set, RFC 7517): those that sign by RS256, ES256 or EdDSA.
#pragma once

#include "proxy/words/enum_words.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct evp_pkey_st;  // OpenSSL's EVP_PKEY

namespace photofinish::gateway {

enum class jwt_algorithm : std::uint8_t { rs256, es256, eddsa };
constexpr auto words_of(jwt_algorithm) {
  using enum jwt_algorithm;
  return proxy::enum_words<jwt_algorithm, 3>{{{rs256, "RS256"}, {es256, "ES256"}, {eddsa, "EdDSA"}}};
}

struct verification_key {
  std::string id;  // kid; empty: the key has none
  jwt_algorithm algorithm;
  std::shared_ptr<evp_pkey_st> key;  // any thread may verify with it
};
using key_set = std::vector<verification_key>;

// Skips keys for other purposes and weak keys. If two keys have the same id and algorithm, the first counts. On failure
// returns the reason for people: not a set, more than 64 keys, or no usable key.
std::variant<key_set, std::string> read_key_set(std::string_view json);

// Returns the key with that id; without an id the only key of its algorithm. Null: there is none.
const verification_key* find_key(const key_set& among, std::string_view id, jwt_algorithm algorithm);

}  // namespace photofinish::gateway
