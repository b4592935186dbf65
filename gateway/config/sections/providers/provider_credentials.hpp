// Reads the sources of a provider's expiring credentials. The list has the order in which the sources are asked. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"
#include "proxy/providers/provider.hpp"

namespace photofinish::gateway {

// True if the file asks for expiring credentials. A cloud's credentials are used only if `auth` or one of their
// settings says so, not because this machine happens to have some. Call it after `auth` was read.
bool wants_credentials(const section_reader& reader, const proxy::provider& into);

// Fills into.key.credentials for google, entra and aws, or reports problems.
void read_credentials(const section_reader& reader, proxy::provider& into);

// Reports settings that need another value of `auth`.
void check_credential_settings(const section_reader& reader, const proxy::provider& into);

}  // namespace photofinish::gateway
