// Finds the source of a provider's key, and warns about problems with the key when the configuration is loaded. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"
#include "proxy/providers/presets.hpp"

namespace photofinish::gateway {

// Call this function after the URL and `auth` have been read. `known` is the provider's preset, or null. The preset's
// key variable is used only with the preset's own URL. Otherwise a key could be sent to a host for which it was not
// meant.
void read_provider_key(const section_reader& reader, const proxy::preset* known, proxy::provider& into);

}  // namespace photofinish::gateway
