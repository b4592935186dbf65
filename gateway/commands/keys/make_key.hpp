// Makes a new access key, in the format of gateway_key.hpp.
#pragma once

#include "proxy/failures/secret.hpp"

namespace photofinish::gateway {

// Returns a key with 256 random bits after a public part of 60 random bits. Throws std::runtime_error if the system
// gives no random bits.
proxy::secret make_gateway_key();

}  // namespace photofinish::gateway
