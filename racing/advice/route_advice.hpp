// Compares the measured results of a route's own policy over the last 72 hours with predictions for other policies. All
// types are plain values. [pure]
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

// A request's cost at a target: if the attempt wins, and if it loses.
struct attempt_cost {
  double win = 0, loss = 0;
};

// A route in the operator's configuration.
struct advised_route {
  std::string name;
  std::vector<std::string> targets;
  std::vector<std::uint32_t> vendors;  // one number per target; targets with equal numbers may slow down together
  race_settings settings;
  // Returns the cost at the target with this index, for a prompt of `input` tokens and an answer of `output` tokens.
  std::function<attempt_cost(std::size_t target, double input, double output)> cost;
};

inline constexpr std::array<double, 3> advised_shares{0.50, 0.95, 0.99};

struct advised_figure {
  double seconds = 0;
  bool is_bound = false;  // true if the value is only a lower bound, because no request was observed long enough
  // The range of the value. The moments at which targets became slower or faster are only known approximately. If they
  // are unknown, the range has no upper end.
  double low = 0;
  std::optional<double> high;
};
using advised_figures = std::array<advised_figure, advised_shares.size()>;

struct advised_policy {
  race_policy policy = race_policy::all;
  std::optional<std::chrono::milliseconds> hedge_delay;
  advised_figures first_token;
  std::optional<advised_figures> finish;  // times of whole answers, if the speeds of the policy's targets are known
  double attempts = 0;                    // mean number of attempts per request
  std::optional<double> extra_cost;       // the losers' cost as a share of the winners' cost
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
  // `seen` is the number of attempts with a first token. `cut_off` is the number of attempts that ended before their
  // first token.
  std::uint64_t seen = 0, cut_off = 0;
  bool is_known = false;                // true if enough attempts were measured for advice
};

struct route_advice {
  std::string name;
  std::uint64_t requests = 0;
  std::int32_t first_minute = 0;  // time of the oldest stored request, in minutes since 1970
  present_policy present;
  prompt_use conversations;
  std::vector<advised_target> targets;
  std::vector<advised_policy> policies;  // the compared policies; empty if not enough is known
  bool has_common_vendor = false;        // true if some targets belong to the same vendor and may have slowed down
                                         // together
  bool has_moved = false;                // true if the usual time of a target changed by more than a fifth
  bool follows_our_load = false;         // true if a target becomes slower while this gateway runs more attempts at it
};

// Compares the policies for a route. Returns nothing if no requests of the route are stored.
std::optional<route_advice> advise(const speed_records& records, const advised_route& route);

}  // namespace photofinish::racing
