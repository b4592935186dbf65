// The keys that this gateway makes: pf-<12 public>-<43 secret>. The public part may be shown; it says which key it is.
// Others are as good: an access key may be any text. [pure]
#pragma once

#include "gateway/config/access/access_key_list.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// What a key is made of: 60 bits that may be shown, and 256 in base64url.
inline constexpr std::string_view gateway_key_prefix = "pf-";
inline constexpr std::size_t public_key_letters = 12, secret_key_bytes = 32;
// 32 that are not taken for each other.
inline constexpr std::string_view public_letters = "abcdefghijkmnpqrstuvwxyz23456789";

// "pf-k3v9t2m4s6q8" of such a key; none where it is not one.
std::optional<std::string_view> public_part(std::string_view key);

// Whether that is the public part of some key.
bool is_public_part(std::string_view text);

// What the setting key_hash holds of it: "sha256:" and 64 hex digits.
std::string key_hash_of(std::string_view key);

}  // namespace photofinish::gateway
