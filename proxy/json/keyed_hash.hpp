// A hash with a secret key (SipHash-2-4), for texts that peers choose. [pure] A peer can easily find two texts with the
// same std::hash. Without the key, a peer cannot find two texts with the same keyed hash.
#pragma once

#include "proxy/json/sip_state.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

std::uint64_t keyed_hash(std::string_view text, const hash_key& key);

}  // namespace photofinish::proxy
