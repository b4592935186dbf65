// The times at which credentials are fetched, and fetched again. [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace photofinish::gateway {

using std::chrono::milliseconds;

// Pause between two keys that were fetched because a provider refused the key before: a provider may refuse every key.
inline constexpr std::chrono::seconds between_refusals{30};

// The time from a key's arrival to the next fetch. The fetch comes before the key's end: by a tenth of its life, by at
// least five minutes, and by at most half of its life. `chance`, from 0 to 1, spreads the gateways of a fleet. If the
// life is unknown, the key is fetched every five minutes.
milliseconds until_renewal(std::optional<std::chrono::seconds> lives, double chance);

// Shortens the pause by up to a tenth, so that the gateways of a fleet do not fetch at the same time.
milliseconds less_a_tenth(milliseconds pause, double chance);

// The pause after this many failures in a row, at least 1. It starts at one second and doubles up to a minute, and
// varies by up to a quarter.
milliseconds pause_after(std::size_t failures, double chance);

}  // namespace photofinish::gateway
