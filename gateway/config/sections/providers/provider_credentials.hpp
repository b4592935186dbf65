// Where a provider's credentials come from that expire: which places are asked, in which order. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"
#include "proxy/providers/provider.hpp"

namespace photofinish::gateway {

// Whether the file asks for such credentials: a cloud's own are used where `auth`, or one of their settings, says so,
// and not because this machine happens to have some. `auth` has been read.
bool wants_credentials(const section_reader& reader, const proxy::provider& into);

// Of google, entra and aws: into.key.credentials, or what is wrong.
void read_credentials(const section_reader& reader, proxy::provider& into);

// Settings of another `auth`.
void check_credential_settings(const section_reader& reader, const proxy::provider& into);

}  // namespace photofinish::gateway
