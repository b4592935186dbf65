// The secret that signs the ids of stored responses if the configuration sets no secret.
#pragma once

#include "proxy/failures/secret.hpp"

#include <string>

namespace photofinish::gateway {

// Returns 32 random bytes from the file `folder`/id_secret. Creates the file if it is missing; only its owner can read
// it. Without a folder, or if the file cannot be read or written, the bytes are valid only for this run, and a warning
// is logged.
proxy::secret id_secret_in(const std::string& folder);

}  // namespace photofinish::gateway
