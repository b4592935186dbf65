// A hash of texts that peers choose (SipHash-2-4). [pure]
// Two texts with the same hash are easy to compute for std::hash; here that takes the key.
#pragma once

#include "proxy/json/sip_state.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

std::uint64_t keyed_hash(std::string_view text, const hash_key& key);

}  // namespace photofinish::proxy
