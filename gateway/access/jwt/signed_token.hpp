// A JWT (RFC 7519) in its transmitted form: header.claims.signature, each in base64url. No part may be trusted until
// the signature is verified.
#pragma once

#include "gateway/access/jwt/key_set.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// The maximum length of a token. Entra's tokens with 200 groups have about eleven thousand characters.
inline constexpr std::size_t longest_jwt = 16'384;

// True if the text looks like a JWT.
bool is_jwt(std::string_view text);

struct signed_token {
  jwt_algorithm algorithm = jwt_algorithm::rs256;
  std::string key_id;     // the id of the key; empty if the token names no key
  nlohmann::json claims;  // an object
  std::string signed_text, signature;

  std::string issuer() const;  // returns an empty text if the token names no issuer
};

// Reads a token. On failure returns an error that continues the text "this token ". The error contains no part of the
// token.
std::variant<signed_token, std::string> read_signed_token(std::string_view text);

// True if the token's signature is valid for the key. False if the key is for another algorithm.
bool is_signed_by(const signed_token& token, const verification_key& key);

}  // namespace photofinish::gateway
