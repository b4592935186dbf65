// The figures that the live page and `photofinish top` show, as values and as JSON. They do not include data of single
// races. [pure]
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

// A target's counts since the gateway was started. They are equal to the counts in /metrics.
struct live_target {
  std::string name;  // the target's name in metrics
  std::uint64_t in_flight = 0;
  metrics::by<metrics::attempt_outcome, std::uint64_t> outcomes;
  metrics::by<metrics::attempt_reason, std::uint64_t> failures;  // the numbers of failed attempts and of broken
                                                                 // attempts, by reason
  metrics::by<metrics::cost_kind, double> usd;
  std::uint64_t unpriced = 0;
  const proxy::price* price = nullptr;  // null: unknown
  double cools_seconds = 0;             // the number of seconds until the target's cooldown ends; 0 without a cooldown
  bool is_limited = false;              // true if the cooldown was caused by a rate limit that the provider reported
  // The number of callers for whom this target is in a cooldown. Other callers may still use the target.
  std::uint64_t cooling_callers = 0;

  std::uint64_t attempts() const;
};

// The costs of losing attempts in the races of an adaptive route: the actual costs, and the limit for these costs.
struct live_speculation {
  double max_extra_cost = 0;
  std::optional<double> fill;  // the available share of the hedge budget, from 0 to 1
  metrics::by<metrics::currency, metrics::by<metrics::spent_on, double>> spent;
  metrics::by<metrics::start_cause, std::uint64_t> starts;
  std::uint64_t held_back = 0;  // the number of hedges that were not started because the hedge budget was used up
  // The number of races that did not use the target with the prompt in its cache, by reason.
  metrics::by<metrics::move_reason, std::uint64_t> moves;
  double moves_usd = 0;         // the expected additional cost, in US dollars, of not using cached prompts
};

struct live_route {
  std::string name;
  racing::race_policy policy = racing::race_policy::all;
  std::string sort;
  std::vector<std::string> targets;
  std::size_t max_parallel = 0;
  std::optional<double> hedge_seconds;  // the delay of the hedge policy; not set if the gateway chooses the delay
  std::int64_t in_flight = 0;
  std::uint64_t requests = 0;

  std::optional<live_speculation> adaptive;  // the costs of the route's losers; set if the route's policy is adaptive
  std::optional<next_race> next;             // the forecast of the route's next race; set if the route has several
                                             // targets
};

struct live_figures {
  std::string version;
  // The `instance` setting of the gateway that answers. Races, cooldowns and forecasts are shown only for this gateway.
  std::string gateway;
  fleet_scope scope;    // the gateways whose counts, costs and rates are added up
  std::chrono::sys_seconds started_at{};
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  std::uint64_t requests = 0;      // the number of completed requests of all routes
  double requests_per_second = 0;  // the average request rate since the last update
  std::int64_t in_flight = 0;
  double shown_per_second = 0;  // the maximum number of races that the page gets per second
  std::vector<live_target> targets;
  std::vector<live_route> routes;
};

inline constexpr std::size_t most_live_targets = 200, most_live_routes = 200;

// Sorts the targets by their number of attempts, with the most used target first.
void sort_by_use(std::vector<live_target>& targets);

// If there are more targets than the page shows, removes the least used targets.
void bound(live_figures& figures);

// Returns {"object":"feed",…,"routes":[…] without the closing brace, because the caller adds the races.
std::string figures_text(const live_figures& figures);

}  // namespace photofinish::gateway
