// Compares the results of a route's own policy over the last 72 hours with the predicted results of other policies.
// Plain figures. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"
#include "racing/race_plan.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::racing {

// The cost of a request at a target if its attempt wins, and if its attempt loses.
struct attempt_cost {
  double win = 0, loss = 0;
};

// A route as the operator has configured it.
struct advised_route {
  std::string name;
  std::vector<std::string> targets;
  std::vector<std::uint32_t> vendors;  // one number per target; targets with equal numbers may be slow together
  race_settings settings;
  // Returns the cost at the target with index `target`, for a usual prompt of `input` tokens and a usual answer of
  // `output` tokens.
  std::function<attempt_cost(std::size_t target, double input, double output)> cost;
};

inline constexpr std::array<double, 3> advised_shares{0.50, 0.95, 0.99};

struct advised_figure {
  double seconds = 0;
  bool is_bound = false;  // true if the value is a lower bound, because no request was observed for a longer time
  // The range of the figure. It depends on the precision of the times at which targets became slower or faster. If
  // these times are unknown, the range has no upper end.
  double low = 0;
  std::optional<double> high;
};
using advised_figures = std::array<advised_figure, advised_shares.size()>;

struct advised_policy {
  race_policy policy = race_policy::all;
  std::optional<std::chrono::milliseconds> hedge_delay;
  advised_figures first_token;
  std::optional<advised_figures> finish;  // times of whole answers; set if the speeds of the policy's targets are known
  double attempts = 0;                    // mean number of attempts per request
  std::optional<double> extra_cost;       // cost of losers as a share of the winners' cost
};

// Measured figures.
struct present_policy {
  std::uint64_t answered = 0, cut_off = 0;
  std::array<std::optional<survival_quantile>, advised_shares.size()> first_token, finish;
  double attempts = 0;
  std::optional<double> extra_cost;
};

struct advised_target {
  std::string name;
  // Attempts with a first token (`seen`), and attempts that ended before it (`cut_off`).
  std::uint64_t seen = 0, cut_off = 0;
  bool is_known = false;                // true if the target has enough attempts for advice
};

struct route_advice {
  std::string name;
  std::uint64_t requests = 0;
  std::int32_t first_minute = 0;  // time of the oldest stored request in minutes since 1970
  present_policy present;
  prompt_use conversations;
  std::vector<advised_target> targets;
  std::vector<advised_policy> policies;  // the compared policies; empty if too little is known
  bool has_common_vendor = false;        // true if targets that run together may have been slow together
  bool has_moved = false;                // true if the level of a target changed by more than a fifth
  bool follows_our_load = false;         // true if a target becomes slower with this gateway's own attempts
};

// Compares the policies for a route. Returns nothing if no request of the route is stored.
std::optional<route_advice> advise(const speed_records& records, const advised_route& route);

}  // namespace photofinish::racing
