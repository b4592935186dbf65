// The gateway's own keys: which of them a caller holds. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "proxy/failures/secret.hpp"

#include <span>
#include <string_view>

namespace photofinish::gateway {

// How long it takes depends on the two lengths, and not on where the texts differ.
bool equal_in_constant_time(std::string_view one, std::string_view other);

// The access key with that value, or null. Looks at every key, found or not; an empty value is not a key.
const access_key* find_access_key(const proxy::secret& presented, std::span<const access_key> keys);

}  // namespace photofinish::gateway
