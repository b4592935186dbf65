// The secret that signs the ids of stored responses if the configuration has none.
#pragma once

#include "proxy/failures/secret.hpp"

#include <string>

namespace photofinish::gateway {

// Returns 32 random bytes from `folder`/id_secret, which is created for its owner alone if it is missing. Without a
// folder, or if the file cannot be read or written, the bytes are valid only for this run, and a warning is logged.
proxy::secret id_secret_in(const std::string& folder);

}  // namespace photofinish::gateway
