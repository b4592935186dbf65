// Computes the tokens and the money that a request used for its caller, in all attempts together. [pure]
#pragma once

#include "gateway/records/race_account.hpp"
#include "metrics/observations.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace photofinish::gateway {

struct request_use {
  metrics::by<metrics::token_direction, std::uint64_t> tokens;
  metrics::by<metrics::cost_kind, double> usd;

  std::int64_t nano_usd() const;
};

struct cut_attempt {
  target_name target;
  cut_usage usage;
};
// Reduces the usage that providers report to possible values, in all attempts of the record. Call this function before
// other code counts, charges or shows the usage. A second call changes nothing.
std::vector<cut_attempt> cut_impossible_usage(race_account& record);

// Returns the usage of a request. `attempts` is the result of observe_attempts(), with prices. If a winner reported no
// usage, its tokens are estimated from the answer's bytes and the gateway's own count, as for the winner's cost.
request_use use_of(const race_account& record, std::span<const metrics::attempt_observation> attempts);

}  // namespace photofinish::gateway
