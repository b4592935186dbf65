// A hash with a secret key (SipHash-2-4), for texts that remote peers choose. [pure] A peer can easily find two texts
// with the same std::hash. A peer that does not have the key cannot find two texts with the same keyed hash.
#pragma once

#include "proxy/json/sip_state.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

std::uint64_t keyed_hash(std::string_view text, const hash_key& key);

}  // namespace photofinish::proxy
