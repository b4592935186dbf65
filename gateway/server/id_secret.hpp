// The secret that signs the ids of kept responses, where the configuration has none.
#pragma once

#include "proxy/failures/secret.hpp"

#include <string>

namespace photofinish::gateway {

// 32 random bytes: those in `folder`/id_secret, which is made where it is missing, for its owner alone. Without a
// folder, or where it cannot be read or written, they are of this run alone, and a warning says so.
proxy::secret id_secret_in(const std::string& folder);

}  // namespace photofinish::gateway
