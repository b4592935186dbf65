// Rules that check a configuration as a whole. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// A text with a remedy if strangers could spend the owner's money; empty if they cannot. That is the case with a
// listener beyond loopback, providers with keys, no access keys, no `tls.client_auth: require`, and no `open: true`.
std::optional<std::string> exposure_problem(const config& settings);

// A warning if other machines can read /metrics without a key although there are access keys; otherwise empty.
std::optional<std::string> open_metrics_warning(const config& settings);

// A warning if other machines can reach the gateway and an access key is so short that they could guess it; otherwise
// empty. A key that the configuration knows only by its hash may have any length.
std::optional<std::string> short_keys_warning(const config& settings);

}  // namespace photofinish::gateway
