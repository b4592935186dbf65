// What planners know of routes' targets: an immutable snapshot, made by the housekeeper once a second. [pure]
// Workers read it without a lock. What they share and change beside it are atomics: each route's budget, and when an
// attempt last started at each target.
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

// A route whose targets are compared, as the configuration has it.
struct compared_route {
  std::string name;
  std::vector<std::string> targets;
  std::vector<std::uint32_t> vendors;  // of each target; the same number: they may be slow together
  double max_extra_cost = 0.1;
  bool is_priced = false;  // every target has a price: costs are money, else tokens

  bool operator==(const compared_route&) const = default;
};

// When an attempt last started at a target, over all workers.
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
  std::vector<target_number> targets;  // in the order of is->targets and of the tables' rows
  std::shared_ptr<speculation_budget> budget;
  budget_reading reading;
  answer_lengths lengths;
  std::shared_ptr<std::atomic<std::uint32_t>> last_first;  // whom the last adaptive race began with: its row, from 1
  std::array<std::shared_ptr<const choice_table>, input_classes> tables;  // null: no such prompt came of late

  // The table for prompts of about that size; null only where there is none at all.
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
  std::uint64_t number = 0;  // counts on with each second
  instant at{};
  std::unordered_map<std::string, std::shared_ptr<const route_speed>> routes;
  std::shared_ptr<const std::unordered_map<std::string, target_number>> targets;  // those that are learned
  std::shared_ptr<start_times> starts;
  std::unordered_map<std::uint64_t, double> key_errors;  // by key_at()

  const route_speed* route(const std::string& name) const {
    const auto found = routes.find(name);
    return found == routes.end() ? nullptr : found->second.get();
  }
};

}  // namespace photofinish::racing
