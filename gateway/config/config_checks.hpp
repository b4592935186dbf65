// Rules that check a configuration as a whole. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns a text with a remedy if strangers could spend the owner's money. They could if all these conditions hold: the
// gateway listens beyond loopback, a provider has a key, and there are no access keys, no `tls.client_auth: require`
// and no `open: true`.
std::optional<std::string> exposure_problem(const config& settings);

// Returns a warning if other machines can read /metrics without a key although there are access keys. Otherwise returns
// nothing.
std::optional<std::string> open_metrics_warning(const config& settings);

// Returns a warning if other machines can reach the gateway and could guess an access key because it is short.
// Otherwise returns nothing. A key that the configuration knows only by its hash may have any length.
std::optional<std::string> short_keys_warning(const config& settings);

}  // namespace photofinish::gateway
