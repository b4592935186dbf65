// Makes a new access key in the format that gateway_key.hpp describes.
#pragma once

#include "proxy/failures/secret.hpp"

namespace photofinish::gateway {

// Returns a new key with a public part of 60 random bits and a secret part of 256 random bits. Throws
// std::runtime_error if the system provides no random bits.
proxy::secret make_gateway_key();

}  // namespace photofinish::gateway
