// Finds the knee of the load curve. The knee is the load up to which an endpoint keeps up. Also finds the figure that
// first gets worse above this load. [pure] docs/bench/figures.md and decision 52 explain the limits.
#pragma once

#include "gateway/bench/level_report.hpp"
#include "proxy/words/enum_words.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::bench {

enum class knee_state {
  // The knee is unknown, because there are fewer than two complete levels, or no answer at the lowest load.
  unknown,
  at_lowest,    // there is no knee, because requests already fail at the lowest load
  found,
  not_reached,  // there is no knee, because the endpoint keeps up even at the highest load
};

constexpr auto words_of(knee_state) {
  using enum knee_state;
  return proxy::enum_words<knee_state, 4>{
      {{unknown, "unknown"}, {at_lowest, "at_lowest"}, {found, "found"}, {not_reached, "not_reached"}}};
}

// A figure that exceeds its limit, and therefore shows that the endpoint does not keep up with a load.
struct knee_reason {
  std::string_view tag;        // the name of the figure in JSON, for example time_to_first_token
  std::string_view statistic;  // the statistic that is compared, p50 or p95; empty for a share, which has no
                               // distribution
  std::string_view unit;
  double value = 0;
  double limit = 0;  // if the value is worse than this limit, the endpoint does not keep up
  // The figure's value at the lowest load. None if the limit does not depend on the lowest load.
  std::optional<double> at_lowest_load;
};

// The result of knee_of(). All indexes refer to the levels that knee_of() was called with.
struct knee {
  knee_state state = knee_state::unknown;
  std::optional<std::size_t> lowest_load;
  std::optional<std::size_t> keeps_up_at;  // the highest load at which the endpoint keeps up; it is below `bends_at`
  std::optional<std::size_t> bends_at;     // the lowest load at which the endpoint does not keep up
  std::vector<knee_reason> reasons;        // the figures that exceed their limits at the load `bends_at`; at least one
  // A load higher than the load `bends_at` at which the endpoint kept up nevertheless. If there is such a load, the
  // knee is uncertain.
  std::optional<std::size_t> kept_up_again_at;
};

knee knee_of(std::span<const level_report> levels);

// Describes the knee in one sentence, or in two sentences if the knee is uncertain.
std::string words_of(const knee& found, std::span<const level_report> levels);

}  // namespace photofinish::gateway::bench
