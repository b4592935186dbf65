// Computes the tokens and the money that a request used, in all its attempts together. The request's caller is charged
// for them. [pure]
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
// Reduces impossible usage that providers report, in all attempts of the record. Call this function before the usage is
// counted, charged or shown. A second call changes nothing.
std::vector<cut_attempt> cut_impossible_usage(race_account& record);

// Returns the usage of a request. `attempts` is the result of observe_attempts() and includes the costs. If a winner
// reported no usage, its tokens are estimated from the answer's bytes and from the gateway's own count. The winner's
// cost is estimated in the same way.
request_use use_of(const race_account& record, std::span<const metrics::attempt_observation> attempts);

}  // namespace photofinish::gateway
