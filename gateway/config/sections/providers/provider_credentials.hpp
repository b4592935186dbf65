// Reads the sources of a provider's expiring credentials, in the order in which they are tried. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"
#include "proxy/providers/provider.hpp"

namespace photofinish::gateway {

// True if the configuration requests expiring credentials of a cloud. They are used only if `auth` or a setting of
// these credentials requests them, and never just because this machine has some. Call this function after `auth` has
// been read.
bool wants_credentials(const section_reader& reader, const proxy::provider& into);

// Reads the sources of credentials for google, entra and aws into `into`, and reports problems.
void read_credentials(const section_reader& reader, proxy::provider& into);

// Reports settings of credentials that do not match the value of `auth`.
void check_credential_settings(const section_reader& reader, const proxy::provider& into);

}  // namespace photofinish::gateway
