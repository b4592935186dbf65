// A new key, as gateway_key.hpp knows them.
#pragma once

#include "proxy/failures/secret.hpp"

namespace photofinish::gateway {

// 256 random bits behind a public part of 60. Throws std::runtime_error where the system gives none.
proxy::secret make_gateway_key();

}  // namespace photofinish::gateway
