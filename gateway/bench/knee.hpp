// Up to which load an endpoint keeps up, and what gives way first beyond it: the knee of the sweep's curve. [pure]
// docs/bench/figures.md lists the limits, and decision 52 has the reasons.
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
  unknown,      // fewer than two levels that were measured to their end, or no answer at the lowest load
  at_lowest,    // requests fail already at the lowest load
  found,
  not_reached,  // the highest load is still within the limits
};

constexpr auto words_of(knee_state) {
  using enum knee_state;
  return proxy::enum_words<knee_state, 4>{
      {{unknown, "unknown"}, {at_lowest, "at_lowest"}, {found, "found"}, {not_reached, "not_reached"}}};
}

// One figure of the first level that does not keep up, against what it was at the lowest load.
struct knee_reason {
  std::string_view tag;        // time_to_first_token
  std::string_view statistic;  // p50, p95; empty: a share
  std::string_view unit;
  double value = 0;
  double limit = 0;  // worse than this does not keep up
  std::optional<double> at_lowest_load;  // none: the limit does not come from it
};

// Indexes are those of the levels that were given.
struct knee {
  knee_state state = knee_state::unknown;
  std::optional<std::size_t> lowest_load;
  std::optional<std::size_t> keeps_up_at;  // the highest load below the first that does not keep up
  std::optional<std::size_t> bends_at;     // the first that does not
  std::vector<knee_reason> reasons;        // of `bends_at`, at least one
  std::optional<std::size_t> kept_up_again_at;  // a higher load that kept up nevertheless: the knee is doubtful
};

knee knee_of(std::span<const level_report> levels);

// The same in a sentence, or two where it is doubtful.
std::string words_of(const knee& found, std::span<const level_report> levels);

}  // namespace photofinish::gateway::bench
