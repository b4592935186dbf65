// Rules that check a configuration as a whole. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns a text with a remedy if strangers could spend the owner's money. They could if the gateway listens beyond
// loopback and a provider has a key. There is no text if there are access keys, or if `tls.client_auth: require` or
// `open: true` is set.
std::optional<std::string> exposure_problem(const config& settings);

// Returns a warning if other machines can read /metrics without a key although there are access keys.
// Otherwise returns nothing.
std::optional<std::string> open_metrics_warning(const config& settings);

// Returns a warning if other machines can reach the gateway and could guess an access key because it is short.
// Otherwise returns nothing. A key that the configuration knows only by its hash may have any length.
std::optional<std::string> short_keys_warning(const config& settings);

}  // namespace photofinish::gateway
