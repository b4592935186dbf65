// What the live page and `photofinish top` show beside single races, as plain values, and as JSON. [pure]
#pragma once

#include "gateway/page/next_race.hpp"
#include "gateway/store/fleet_scope.hpp"
#include "metrics/outcomes.hpp"
#include "proxy/providers/prices.hpp"
#include "racing/race_plan.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Counted since the start, as /metrics counts.
struct live_target {
  std::string name;  // as the metrics name it
  std::uint64_t in_flight = 0;
  metrics::by<metrics::attempt_outcome, std::uint64_t> outcomes;
  metrics::by<metrics::attempt_reason, std::uint64_t> failures;  // of those that failed or broke
  metrics::by<metrics::cost_kind, double> usd;
  std::uint64_t unpriced = 0;
  const proxy::price* price = nullptr;  // null: unknown
  double cools_seconds = 0;             // 0: it does not
  bool is_limited = false;              // by a limit that its provider has named
  std::uint64_t cooling_callers = 0;    // for whom alone it cools

  std::uint64_t attempts() const;
};

// What losers of an adaptive route's races cost, and may cost.
struct live_speculation {
  double max_extra_cost = 0;
  std::optional<double> fill;  // of its budget, once there is one
  metrics::by<metrics::currency, metrics::by<metrics::spent_on, double>> spent;
  metrics::by<metrics::start_cause, std::uint64_t> starts;
  std::uint64_t held_back = 0;  // hedges
  metrics::by<metrics::move_reason, std::uint64_t> moves;  // away from the target that has the prompt
  double moves_usd = 0;         // what they were expected to cost
};

struct live_route {
  std::string name;
  racing::race_policy policy = racing::race_policy::all;
  std::string sort;
  std::vector<std::string> targets;
  std::size_t max_parallel = 0;
  std::optional<double> hedge_seconds;  // with the policy hedge, where it is not automatic
  std::int64_t in_flight = 0;
  std::uint64_t requests = 0;

  std::optional<live_speculation> adaptive;  // of an adaptive route
  std::optional<next_race> next;             // of a route with several targets
};

struct live_figures {
  std::string version;
  std::string gateway;  // the `instance` of the gateway that answers: races, cooldowns and forecasts are its own
  fleet_scope scope;    // the gateways whose counts, costs and rates are added up
  std::chrono::sys_seconds started_at{};
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  std::uint64_t requests = 0;      // ended, to any route
  double requests_per_second = 0;  // since the last figures
  std::int64_t in_flight = 0;
  double shown_per_second = 0;  // races, at most
  std::vector<live_target> targets;
  std::vector<live_route> routes;
};

inline constexpr std::size_t most_live_targets = 200, most_live_routes = 200;

// The most used first.
void sort_by_use(std::vector<live_target>& targets);

// Beyond the bounds the most used targets are kept.
void bound(live_figures& figures);

// {"object":"feed",…,"routes":[…] with no brace behind it: the races follow.
std::string figures_text(const live_figures& figures);

}  // namespace photofinish::gateway
