// The costs and results of probes: today's costs, which are saved in a file so that they survive restarts, and counts
// for the metrics page.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/housekeeping/stores/stats_file.hpp"
#include "gateway/probes/probe_ledger.hpp"
#include "metrics/merged_families.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace photofinish::gateway {

enum class probe_end { answered, failed };

// The costs and counts of probes. Amounts are in nano-dollars, and days are in UTC. Only the prober's thread may use
// the object. Any thread may call show().
class probe_accounts {
 public:
  void open(const std::string& state_dir);  // reads today's cost from the folder; without a folder, the cost is not
                                            // saved
  void adopt(std::int64_t most_a_day);      // sets the daily limit in nano-dollars; if it is 0, no probes are sent

  // Reserves money for a probe. Call this function before the probe is sent, so that the cost is counted even if the
  // process is killed. Returns false if too little of today's budget is left.
  bool reserve(std::int64_t amount, std::int64_t most_a_day);
  void settle(const target_name& target, std::int64_t reserved, std::int64_t paid, probe_end how);

  // Adds the metrics about probes to the metrics page. Any thread may call this function.
  void show(metrics::merged_families& page) const;

 private:
  struct tally {
    std::uint64_t answered = 0, failed = 0;
    double usd = 0;
  };

  void save();
  void note_spent();

  probe_ledger ledger_;
  std::optional<stats_file> file_;
  std::chrono::sys_days used_up_on_{};  // the last day on which the whole budget was used up

  mutable std::mutex guard_;                                      // guards the members below
  std::map<std::pair<std::string, std::string>, tally> tallies_;  // the counts since the start, by provider and model
  std::chrono::sys_days day_{};
  double budget_usd_ = 0, spent_usd_ = 0;  // the daily budget, and the amount that was spent
};

}  // namespace photofinish::gateway
