// Rules that check a configuration as a whole. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Returns an error text with advice if strangers could spend the owner's money, because the gateway listens beyond
// loopback and a provider has a key. Returns nothing if there are access keys, or if `tls.client_auth: require` or
// `open: true` is set.
std::optional<std::string> exposure_problem(const config& settings);

// Returns a warning if other machines can read /metrics without a key although there are access keys.
// Otherwise returns nothing.
std::optional<std::string> open_metrics_warning(const config& settings);

// Returns a warning if other machines can reach the gateway and an access key is so short that they could guess it.
// Otherwise returns nothing. If the configuration contains only the hash of a key, the length of this key is not
// checked.
std::optional<std::string> short_keys_warning(const config& settings);

}  // namespace photofinish::gateway
