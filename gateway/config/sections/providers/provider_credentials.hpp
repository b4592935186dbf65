// Reads the sources of a provider's expiring credentials, in the order in which they are tried. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"
#include "proxy/providers/provider.hpp"

namespace photofinish::gateway {

// True if the configuration requests expiring credentials of a cloud, with `auth` or with a setting of these
// credentials. It is not enough that this machine has such credentials. Call this function after `auth` has been read.
bool wants_credentials(const section_reader& reader, const proxy::provider& into);

// Reads the sources of credentials for google, entra and aws into `into`, and reports problems.
void read_credentials(const section_reader& reader, proxy::provider& into);

// Reports settings of credentials that do not match the value of `auth`.
void check_credential_settings(const section_reader& reader, const proxy::provider& into);

}  // namespace photofinish::gateway
