// Of one route's last 72 hours: what its own policy gave, and what others would have given, as plain figures. [pure]
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

// What a request costs at a target: when it wins there, and when it loses.
struct attempt_cost {
  double win = 0, loss = 0;
};

// A route as the configuration has it.
struct advised_route {
  std::string name;
  std::vector<std::string> targets;
  std::vector<std::uint32_t> vendors;  // of each target; the same number: they may be slow together
  race_settings settings;
  // Of the target with that index, for a usual prompt and answer, in tokens.
  std::function<attempt_cost(std::size_t target, double input, double output)> cost;
};

inline constexpr std::array<double, 3> advised_shares{0.50, 0.95, 0.99};

struct advised_figure {
  double seconds = 0;
  bool is_bound = false;  // it is at least that: nothing was watched for longer
  // Its range, as far as is known when its targets moved; without an upper end where that is not known.
  double low = 0;
  std::optional<double> high;
};
using advised_figures = std::array<advised_figure, advised_shares.size()>;

struct advised_policy {
  race_policy policy = race_policy::all;
  std::optional<std::chrono::milliseconds> hedge_delay;
  advised_figures first_token;
  std::optional<advised_figures> finish;  // where the speeds of its targets are known
  double attempts = 0;                    // for each request
  std::optional<double> extra_cost;       // of losers, as a share of what winners cost
};

// What was measured.
struct present_policy {
  std::uint64_t answered = 0, cut_off = 0;
  std::array<std::optional<survival_quantile>, advised_shares.size()> first_token, finish;
  double attempts = 0;
  std::optional<double> extra_cost;
};

struct advised_target {
  std::string name;
  std::uint64_t seen = 0, cut_off = 0;  // attempts: first tokens read, and those ended before
  bool is_known = false;                // enough of them to say something
};

struct route_advice {
  std::string name;
  std::uint64_t requests = 0;
  std::int32_t first_minute = 0;  // since 1970, of the first request that is kept
  present_policy present;
  std::vector<advised_target> targets;
  std::vector<advised_policy> policies;  // none where too little is known
  bool has_common_vendor = false;        // targets that run together may have been slow together
  bool has_moved = false;                // a target's level changed by more than a fifth
  bool follows_our_load = false;         // a target slows down with our own attempts there
};

// None where no request of it is kept.
std::optional<route_advice> advise(const speed_records& records, const advised_route& route);

}  // namespace photofinish::racing
