// Estimates the speed of all targets from the events of all attempts, and makes the forecast that planners read. Only
// one thread uses this class. It collects events, and evaluates them once a second in the order of their times. Memory:
// at most max_targets models of 3 kB, max_routes, max_open silent attempts per target, and the events of one second. A
// target's speed is the same for all keys. Failures are counted separately for each of the callers' own keys. [pure]
#pragma once

#include "racing/forecast/attempt_event.hpp"
#include "racing/forecast/key_failures.hpp"
#include "racing/forecast/target_forecast.hpp"
#include "racing/forecast/target_model.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace photofinish::racing {

class forecaster {
 public:
  static constexpr std::size_t max_targets = 2'000;  // maximum number of models; all further targets share one model
  static constexpr std::size_t max_routes = 1'000;
  static constexpr std::size_t max_route_targets = 64;
  static constexpr std::size_t max_open = 256;      // maximum number of silent attempts that are stored per target
  // The maximum number of events per second. If there are more, the oldest events are dropped.
  static constexpr std::size_t max_events = 100'000;

  // Returns the number of a target. The same name always has the same number.
  target_number target(std::string_view name);
  route_number route(std::string_view name, std::vector<target_number> targets);

  void take(const attempt_event& event);
  forecast tick(instant now);

  const target_model& model(target_number number) const { return targets_[number].model; }
  std::size_t memory_bytes() const;

 private:
  struct open_attempt {
    std::uint64_t attempt;
    instant started_at;
    double input_tokens, in_flight;
    prefix_match match;
    bool is_twin;
  };
  struct watched_target {
    target_model model;
    std::vector<open_attempt> open;
    // Attempts that have their first token, while the number of cached tokens is still unknown because the provider has
    // not reported it. The list contains at most max_open attempts.
    std::vector<attempt_event> unread;
    instant last_answered_start{};  // the latest start of any attempt that has answered
    route_number last_route = 0;
  };
  struct watched_route {
    std::vector<target_number> targets;
    answer_lengths lengths;
    instant last_request{};
    double gap = 2;  // mean seconds between the route's requests
  };

  void learn(attempt_event event, instant now);
  void began(watched_target& target, const attempt_event& event);
  void spoke(watched_target& target, const attempt_event& event);
  void usage_came(watched_target& target, const attempt_event& event);
  static void give_up_waiting(watched_target& target, instant now);
  void share_levels();
  std::vector<silent_attempt> silent_of(watched_target& target, instant now);

  std::unordered_map<std::string, target_number> target_names_;
  std::unordered_map<std::string, route_number> route_names_;
  std::vector<watched_target> targets_;
  std::vector<watched_route> routes_;
  key_failures keys_;
  std::vector<attempt_event> events_;
  instant last_tick_{};
  std::uint64_t ticks_ = 0;
};

}  // namespace photofinish::racing
