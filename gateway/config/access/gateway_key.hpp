// The keys that this gateway makes: pf-<12 public>-<43 secret>. The public part may be shown; it says which key it is.
// Others are as good: an access key may be any text. [pure but for random bits]
#pragma once

#include "gateway/config/access/access_key_list.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// 256 random bits behind a public part of 60.
proxy::secret make_gateway_key();

// "pf-k3v9t2m4s6q8" of such a key; none where it is not one.
std::optional<std::string_view> public_part(std::string_view key);

// Whether that is the public part of some key.
bool is_public_part(std::string_view text);

// What the setting key_hash holds of it: "sha256:" and 64 hex digits.
std::string key_hash_of(std::string_view key);

}  // namespace photofinish::gateway
