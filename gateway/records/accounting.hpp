// Carries out what account_rules decides about a request that has ended: observations for the metrics, samples for the
// housekeeper, one log line.
#pragma once

#include "gateway/log/line_budget.hpp"
#include "gateway/limits/background_uses.hpp"
#include "gateway/records/attempt_evidence.hpp"
#include "gateway/records/price_book.hpp"
#include "gateway/records/request_record.hpp"
#include "gateway/records/request_use.hpp"
#include "gateway/records/used_share.hpp"
#include "metrics/shard.hpp"
#include "racing/advice/raced_request.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace photofinish::gateway {

// Where an account goes. All of one worker.
struct account_books {
  metrics::shard& shard;
  price_book& prices;
  line_budget& lines;
  background_uses& background;                 // all workers'
  std::function<void(attempt_evidence)> note;  // for the scoreboard and the statistics
  std::function<void(used_share)> note_use;  // for reports of what was used
  std::function<void(std::shared_ptr<race_receipt>)> keep;  // where receipts go, for good
  std::function<void(std::unique_ptr<racing::raced_request>)> note_race = {};  // for advice; empty: nothing is kept
};

// What each attempt came to, priced: those of the race, in its order, then the skipped ones.
std::vector<metrics::attempt_observation> observe_attempts(const account_books& into, const request_record& record);

// Into the series of an access key, or of a project.
void count_use(const request_use& used, metrics::usage_series& series);
void count_use(const request_use& used, metrics::project_series& series);

// `used`: what use_of() makes of these attempts.
void account(const account_books& into, const request_record& record,
             const std::vector<metrics::attempt_observation>& attempts, const request_use& used);

}  // namespace photofinish::gateway
