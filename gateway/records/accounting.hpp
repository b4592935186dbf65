// Carries out what account_rules decides about a request that has ended: observations for the metrics, samples for the
// housekeeper, one log line.
#pragma once

#include "gateway/log/line_budget.hpp"
#include "gateway/records/noted_attempt.hpp"
#include "gateway/records/price_book.hpp"
#include "gateway/records/request_record.hpp"
#include "gateway/records/request_use.hpp"
#include "metrics/shard.hpp"

#include <functional>

namespace photofinish::gateway {

// Where an account goes. All of one worker.
struct account_books {
  metrics::shard& shard;
  price_book& prices;
  line_budget& lines;
  std::function<void(noted_attempt)> note;  // for the scoreboard and the statistics
};

// Returns what the request used, for its caller's limits.
request_use account(const account_books& into, const request_record& record);

}  // namespace photofinish::gateway
