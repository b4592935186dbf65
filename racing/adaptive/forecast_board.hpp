// An immutable snapshot of the forecasts for all targets, from which planners choose targets. The housekeeper makes a
// new snapshot once a second, and workers read it without a lock. The snapshot also refers to atomics that workers
// change: each route's budget, and the time of the last start at each target. [pure]
#pragma once

#include "racing/adaptive/choice_table.hpp"
#include "racing/adaptive/speculation_budget.hpp"
#include "racing/forecast/answer_lengths.hpp"
#include "racing/forecast/attempt_event.hpp"
#include "racing/statistics/target_sample.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace photofinish::racing {

// A configured route whose targets are compared by speed.
struct compared_route {
  std::string name;
  std::vector<std::string> targets;
  std::vector<std::uint32_t> vendors;  // one number per target; targets with equal numbers may slow down together
  double max_extra_cost = 0.1;
  bool is_priced = false;  // true if the prices of all targets are known; costs are then money, otherwise tokens

  bool operator==(const compared_route&) const = default;
};

// The time when any worker last started an attempt at each target.
class start_times {
 public:
  explicit start_times(std::size_t targets) : at_(targets) {}

  void started(target_number target, instant now) {
    if (target < at_.size()) at_[target].store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  double idle_seconds(target_number target, instant now) const {
    if (target >= at_.size()) return 0;
    const auto at = instant(instant::duration(at_[target].load(std::memory_order_relaxed)));
    return at == instant{} ? never : seconds_between(at, now);
  }

 private:
  static constexpr double never = 1e9;
  std::vector<std::atomic<instant::rep>> at_;
};

struct route_speed {
  std::shared_ptr<const compared_route> is;
  route_number number = 0;
  std::vector<target_number> targets;  // the route's targets, in the order of the table's rows
  std::shared_ptr<speculation_budget> budget;
  budget_reading reading;
  answer_lengths lengths;
  // The row of the target with which the last adaptive race began. The first row is 1.
  std::shared_ptr<std::atomic<std::uint32_t>> last_first;
  // One table per class of prompt sizes; null if no recent prompt had a size in this class.
  std::array<std::shared_ptr<const choice_table>, input_classes> tables;

  // Returns the table for prompts of about `input_tokens` tokens. If there is none, returns the table for the most
  // similar size, or null if the route has no table.
  const choice_table* table_for(std::uint64_t input_tokens) const {
    const std::size_t wanted = input_class_of(input_tokens);
    for (std::size_t away = 0; away < input_classes; ++away) {
      if (wanted >= away && tables[wanted - away]) return tables[wanted - away].get();
      if (wanted + away < input_classes && tables[wanted + away]) return tables[wanted + away].get();
    }
    return nullptr;
  }
};

struct forecast_board {
  std::uint64_t number = 0;  // number of the snapshot; it grows by 1 each second
  instant at{};
  std::unordered_map<std::string, std::shared_ptr<const route_speed>> routes;
  // The numbers of the targets whose speed is measured. The targets' names are the keys.
  std::shared_ptr<const std::unordered_map<std::string, target_number>> targets;
  std::shared_ptr<start_times> starts;
  std::unordered_map<std::uint64_t, double> key_errors;  // shares of failed attempts, only for callers' own keys;
                                                         // key_at() returns the key of an entry

  const route_speed* route(const std::string& name) const {
    const auto found = routes.find(name);
    return found == routes.end() ? nullptr : found->second.get();
  }
};

}  // namespace photofinish::racing
