// Defines phases. In a phase, a simulated provider behaves differently for some time. A phase is written
// `FROM-TO;setting;setting=value`, as in `2m-4m;slow=3` or `90s-;hang`. The times are counted from the start of the
// simulator. [pure]
#pragma once

#include "gateway/simulator/plan/behaviour.hpp"
#include "proxy/failures/result.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::simulator {

struct sim_phase {
  microseconds from{0};
  std::optional<microseconds> to;  // the end of the phase; empty if the phase never ends
  // The settings of the phase, such as `setting;setting=value`. They were already checked.
  std::string settings;

  bool holds_at(microseconds since_start) const { return since_start >= from && (!to || since_start < *to); }
  bool operator==(const sim_phase&) const = default;
};

// Parses a phase. If the text is invalid, returns a failure of kind bad_request, which explains the format of a phase.
proxy::result<sim_phase> parse_phase(std::string_view text);

// Parses a file with one phase per line. Ignores empty lines, and text after a #. A failure contains the number of the
// line.
proxy::result<std::vector<sim_phase>> parse_phases(std::string_view text);

// Returns the behaviour at a time. It is the behaviour `usual`, changed by the settings of each phase that includes
// this time. Later phases in the list override earlier ones.
sim_behaviour behaviour_at(const sim_behaviour& usual, std::span<const sim_phase> phases, microseconds since_start);

}  // namespace photofinish::gateway::simulator
