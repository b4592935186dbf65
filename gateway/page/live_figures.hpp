// The figures that the live page and `photofinish top` show in addition to single races, as values and as JSON. [pure]
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

// A target's counts since the start of the gateway, with the same values as in /metrics.
struct live_target {
  std::string name;  // the target's name in metrics
  std::uint64_t in_flight = 0;
  metrics::by<metrics::attempt_outcome, std::uint64_t> outcomes;
  metrics::by<metrics::attempt_reason, std::uint64_t> failures;  // number of attempts that failed or broke, by reason
  metrics::by<metrics::cost_kind, double> usd;
  std::uint64_t unpriced = 0;
  const proxy::price* price = nullptr;  // null: unknown
  double cools_seconds = 0;             // seconds until the target's cooldown ends; 0 if it does not cool down
  bool is_limited = false;              // true if the target cools down because of a limit that its provider reported
  // Number of callers for whom this target cools down, although other callers may use it.
  std::uint64_t cooling_callers = 0;

  std::uint64_t attempts() const;
};

// The actual and the allowed costs of losers in the races of an adaptive route.
struct live_speculation {
  double max_extra_cost = 0;
  std::optional<double> fill;  // how full the route's budget for hedges is, from 0 to 1
  metrics::by<metrics::currency, metrics::by<metrics::spent_on, double>> spent;
  metrics::by<metrics::start_cause, std::uint64_t> starts;
  std::uint64_t held_back = 0;  // number of hedges that the budget did not permit
  // Number of races that moved away from the target that has the prompt in its cache, by reason.
  metrics::by<metrics::move_reason, std::uint64_t> moves;
  double moves_usd = 0;         // expected cost of the moves away from cached prompts
};

struct live_route {
  std::string name;
  racing::race_policy policy = racing::race_policy::all;
  std::string sort;
  std::vector<std::string> targets;
  std::size_t max_parallel = 0;
  std::optional<double> hedge_seconds;  // the delay of the policy hedge; not set if the delay is automatic
  std::int64_t in_flight = 0;
  std::uint64_t requests = 0;

  std::optional<live_speculation> adaptive;  // cost of the route's losers, if its policy is adaptive
  std::optional<next_race> next;             // forecast of the route's next race, if the route has several targets
};

struct live_figures {
  std::string version;
  // `instance` setting of the answering gateway; only this gateway's races, cooldowns and forecasts are shown.
  std::string gateway;
  fleet_scope scope;    // the gateways whose counts, costs and rates are summed
  std::chrono::sys_seconds started_at{};
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  std::uint64_t requests = 0;      // number of ended requests of all routes
  double requests_per_second = 0;  // average rate of requests since the previous figures
  std::int64_t in_flight = 0;
  double shown_per_second = 0;  // maximum number of races shown per second
  std::vector<live_target> targets;
  std::vector<live_route> routes;
};

inline constexpr std::size_t most_live_targets = 200, most_live_routes = 200;

// Sorts targets by their use. The most used target comes first.
void sort_by_use(std::vector<live_target>& targets);

// Removes the least used targets if there are more targets than the page may show.
void bound(live_figures& figures);

// Returns {"object":"feed",…,"routes":[…] without the closing brace, because the caller appends the races.
std::string figures_text(const live_figures& figures);

}  // namespace photofinish::gateway
