// Finds the source of a provider's key, and warns of problems with the key at the start. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"
#include "proxy/providers/presets.hpp"

namespace photofinish::gateway {

// Call this after the URL and `auth` have been read. `known` is the provider's preset, or null. The preset's variable
// is used only with the preset's own URL. Otherwise a key could be sent to a host that its owner did not mean.
void read_provider_key(const section_reader& reader, const proxy::preset* known, proxy::provider& into);

}  // namespace photofinish::gateway
