// Where a provider's key comes from, and what about it deserves a word at start. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"
#include "proxy/providers/presets.hpp"

namespace photofinish::gateway {

// After the URL and `auth` have been read. `known` is the provider's preset, or null. The preset's variable
// counts only with the preset's own URL: a key must not reach a host that its owner did not mean.
void read_provider_key(const section_reader& reader, const proxy::preset* known, proxy::provider& into);

}  // namespace photofinish::gateway
