// The figures of the live page and of `photofinish top`, in addition to single races, as plain values and as JSON.
// [pure]
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

// Counts since the start, as in /metrics.
struct live_target {
  std::string name;  // the name in metrics
  std::uint64_t in_flight = 0;
  metrics::by<metrics::attempt_outcome, std::uint64_t> outcomes;
  metrics::by<metrics::attempt_reason, std::uint64_t> failures;  // of attempts that failed or broke
  metrics::by<metrics::cost_kind, double> usd;
  std::uint64_t unpriced = 0;
  const proxy::price* price = nullptr;  // null: unknown
  double cools_seconds = 0;             // 0: it does not cool down
  bool is_limited = false;              // because of a limit that its provider reported
  std::uint64_t cooling_callers = 0;    // number of callers for whom alone it cools down

  std::uint64_t attempts() const;
};

// Actual and allowed costs of losers in an adaptive route's races.
struct live_speculation {
  double max_extra_cost = 0;
  std::optional<double> fill;  // of its budget, if there is one
  metrics::by<metrics::currency, metrics::by<metrics::spent_on, double>> spent;
  metrics::by<metrics::start_cause, std::uint64_t> starts;
  std::uint64_t held_back = 0;  // number of hedges that were not granted
  metrics::by<metrics::move_reason, std::uint64_t> moves;  // away from the target that has the prompt cached
  double moves_usd = 0;         // their expected cost
};

struct live_route {
  std::string name;
  racing::race_policy policy = racing::race_policy::all;
  std::string sort;
  std::vector<std::string> targets;
  std::size_t max_parallel = 0;
  std::optional<double> hedge_seconds;  // with the policy hedge, if the delay is not automatic
  std::int64_t in_flight = 0;
  std::uint64_t requests = 0;

  std::optional<live_speculation> adaptive;  // set for an adaptive route
  std::optional<next_race> next;             // set for a route with several targets
};

struct live_figures {
  std::string version;
  std::string gateway;  // the `instance` of the gateway that answers, which owns the races, cooldowns and forecasts
  fleet_scope scope;    // the gateways whose counts, costs and rates are added up
  std::chrono::sys_seconds started_at{};
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  std::uint64_t requests = 0;      // ended requests, to any route
  double requests_per_second = 0;  // since the previous figures
  std::int64_t in_flight = 0;
  double shown_per_second = 0;  // most races per second
  std::vector<live_target> targets;
  std::vector<live_route> routes;
};

inline constexpr std::size_t most_live_targets = 200, most_live_routes = 200;

// The most used targets come first.
void sort_by_use(std::vector<live_target>& targets);

// If the limits are exceeded, the most used targets are kept.
void bound(live_figures& figures);

// {"object":"feed",…,"routes":[…] without the closing brace, because the races follow.
std::string figures_text(const live_figures& figures);

}  // namespace photofinish::gateway
