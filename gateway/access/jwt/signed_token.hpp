// A JWT (RFC 7519) as it is sent: header.claims.signature, each in base64url. No part is trusted before the token's
// signature is verified.
#pragma once

#include "gateway/access/jwt/key_set.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// The maximum length of a token. Entra's tokens with 200 groups have some eleven thousand characters.
inline constexpr std::size_t longest_jwt = 16'384;

// True if the text has the form of a JWT.
bool is_jwt(std::string_view text);

struct signed_token {
  jwt_algorithm algorithm = jwt_algorithm::rs256;
  std::string key_id;     // the id of the key; empty if the token names no key
  nlohmann::json claims;  // an object
  std::string signed_text, signature;

  std::string issuer() const;  // returns an empty text if the token names no issuer
};

// Reads a token. On failure returns the problem as a text that follows "this token ". The text
// repeats no part of the token.
std::variant<signed_token, std::string> read_signed_token(std::string_view text);

// True if the key's signature fits the token. False if the key has another algorithm.
bool is_signed_by(const signed_token& token, const verification_key& key);

}  // namespace photofinish::gateway
