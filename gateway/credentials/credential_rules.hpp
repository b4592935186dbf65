// When credentials are asked for, and asked for again. [pure]
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace photofinish::gateway {

using std::chrono::milliseconds;

// Between two keys that were asked for because a provider refused the one before: it may refuse every one.
inline constexpr std::chrono::seconds between_refusals{30};

// From a key's arrival to the next one: ahead of its end by a tenth of its life, five minutes or half of it. `chance`,
// from 0 to 1, spreads the gateways of a fleet. Where its life is not known, it is looked at every five minutes.
milliseconds until_renewal(std::optional<std::chrono::seconds> lives, double chance);

// A pause that the gateways of a fleet do not share: shorter by up to a tenth.
milliseconds less_a_tenth(milliseconds pause, double chance);

// After so many failures in a row, from 1: a second, doubling up to a minute, a quarter more or less.
milliseconds pause_after(std::size_t failures, double chance);

}  // namespace photofinish::gateway
