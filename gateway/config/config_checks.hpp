// Rules that look at a configuration as a whole. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

// Whether strangers could spend the owner's money: a listener beyond loopback, providers with keys, no access
// keys, no `tls.client_auth: require`, and no `open: true`. What to do about it; none when all is well.
std::optional<std::string> exposure_problem(const config& settings);

// /metrics can be read from other machines without a key, although there are access keys; none when it cannot.
std::optional<std::string> open_metrics_warning(const config& settings);

// Other machines can reach the gateway, and some access key is so short that they could guess it; none when that is not
// so. A key that the configuration knows by its hash alone may have any length.
std::optional<std::string> short_keys_warning(const config& settings);

}  // namespace photofinish::gateway
