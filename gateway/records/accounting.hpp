// Counts a finished request by the rules of account_rules. Updates the metrics, sends data to the housekeeper, and
// writes one log line.
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

// The objects that receive the data about a finished request. All of them belong to one worker, except `background`.
struct account_books {
  metrics::shard& shard;
  price_book& prices;
  line_budget& lines;
  background_uses& background;                 // the charges for background responses, which all workers share
  std::function<void(attempt_evidence)> note;  // receives data about attempts for the scoreboard and the statistics
  std::function<void(used_share)> note_use;  // receives the usage of requests for the usage reports
  std::function<void(std::shared_ptr<race_receipt>)> keep;  // receives the receipts that the gateway stores
  // Receives the data about races for the advice. If this function is empty, the data is not collected.
  std::function<void(std::unique_ptr<racing::raced_request>)> note_race = {};
};

// Returns the result and the cost of each attempt. The race's attempts come first, in the order in which they started.
// They are followed by one entry for each skipped target.
std::vector<metrics::attempt_observation> observe_attempts(const account_books& into, const request_record& record);

// Adds the usage of a request to the metrics of an access key or of a project.
void count_use(const request_use& used, metrics::usage_series& series);
void count_use(const request_use& used, metrics::project_series& series);

// Counts a finished request. `used` is the result of use_of() for the same attempts.
void account(const account_books& into, const request_record& record,
             const std::vector<metrics::attempt_observation>& attempts, const request_use& used);

}  // namespace photofinish::gateway
