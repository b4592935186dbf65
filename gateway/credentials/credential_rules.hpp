// The rules for the times at which credentials are fetched and renewed. [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace photofinish::gateway {

using std::chrono::milliseconds;

// The minimum time between two fetches after a refusal by a provider. It is needed, because a provider may refuse every
// key.
inline constexpr std::chrono::seconds between_refusals{30};

// Returns the time from the arrival of a key to the next fetch. The next fetch begins some time before the key expires:
// a tenth of the key's life, but at least five minutes and at most half of the life. `chance`, from 0 to 1, varies the
// time between the gateways of a fleet. If the life is unknown, the key is fetched every five minutes.
milliseconds until_renewal(std::optional<std::chrono::seconds> lives, double chance);

// Shortens the pause by up to a tenth, so that a fleet's gateways do not all fetch at the same time.
milliseconds less_a_tenth(milliseconds pause, double chance);

// Returns the pause after a number of failures in a row, which must be at least 1. The pause starts at one second and
// doubles with each failure, up to one minute. It varies by up to a quarter.
milliseconds pause_after(std::size_t failures, double chance);

}  // namespace photofinish::gateway
