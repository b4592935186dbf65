// The sources of a provider's expiring credentials, in the order in which they are asked. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"
#include "proxy/providers/provider.hpp"

namespace photofinish::gateway {

// True if the file asks for such credentials: a cloud's credentials are used only if `auth` or one of their settings
// says so, not because this machine happens to have some. Call it after `auth` was read.
bool wants_credentials(const section_reader& reader, const proxy::provider& into);

// For google, entra and aws: fills into.key.credentials, or reports problems.
void read_credentials(const section_reader& reader, proxy::provider& into);

// Reports settings that belong to another `auth`.
void check_credential_settings(const section_reader& reader, const proxy::provider& into);

}  // namespace photofinish::gateway
