// The times at which credentials are fetched, and fetched again. [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace photofinish::gateway {

using std::chrono::milliseconds;

// The pause between two keys that were fetched because a provider refused the key before. A
// provider may refuse every key.
inline constexpr std::chrono::seconds between_refusals{30};

// Returns the time from a key's arrival to the next fetch. The fetch is earlier than the key's end by a tenth of the
// key's life, but by at least five minutes and at most half of its life. `chance`, from 0 to 1, spreads the gateways of
// a fleet. If the life is unknown, the key is fetched every five minutes.
milliseconds until_renewal(std::optional<std::chrono::seconds> lives, double chance);

// Shortens the pause by up to a tenth, so that the gateways of a fleet do not fetch at the same time.
milliseconds less_a_tenth(milliseconds pause, double chance);

// Returns the pause after this many failures in a row, which is at least 1. The pause starts at one second, doubles up
// to a minute, and varies by up to a quarter.
milliseconds pause_after(std::size_t failures, double chance);

}  // namespace photofinish::gateway
