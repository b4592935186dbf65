// The access keys that this gateway makes have the form pf-<12 public>-<43 secret>. The public part identifies the key
// and may be shown. Access keys that were made in other ways may have any form. [pure]
#pragma once

#include "gateway/config/access/access_key_list.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The two parts of a key that this gateway makes: a public part of 60 bits, and a secret part of 256 bits in base64url.
inline constexpr std::string_view gateway_key_prefix = "pf-";
inline constexpr std::size_t public_key_letters = 12, secret_key_bytes = 32;
// The letters of public parts: 32 characters that people do not easily confuse with each other.
inline constexpr std::string_view public_letters = "abcdefghijkmnpqrstuvwxyz23456789";

// Returns the public part of a key that this gateway made, such as "pf-k3v9t2m4s6q8". Returns nothing
// for any other text.
std::optional<std::string_view> public_part(std::string_view key);

// True if the text has the form of a key's public part.
bool is_public_part(std::string_view text);

// Returns the value of the setting key_hash for a key: "sha256:" and 64 hex digits.
std::string key_hash_of(std::string_view key);

}  // namespace photofinish::gateway
