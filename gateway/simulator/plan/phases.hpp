// Defines periods in which a simulated provider behaves differently. [pure] A phase is written
// `FROM-TO;setting;setting=value`, as in `2m-4m;slow=3` or `90s-;hang`. Its times are counted from the start of the
// simulator.
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
  std::optional<microseconds> to;  // the end of the phase; none if it never ends
  std::string settings;            // valid settings, written `setting;setting=value`

  bool holds_at(microseconds since_start) const { return since_start >= from && (!to || since_start < *to); }
  bool operator==(const sim_phase&) const = default;
};

// Parses a phase. A failure describes the form of a phase, and has the kind bad_request.
proxy::result<sim_phase> parse_phase(std::string_view text);

// Parses phases, one for each line. Empty lines and text after a # are ignored. A failure names the line.
proxy::result<std::vector<sim_phase>> parse_phases(std::string_view text);

// Applies the phases that include this time to `usual`, in their order.
sim_behaviour behaviour_at(const sim_behaviour& usual, std::span<const sim_phase> phases, microseconds since_start);

}  // namespace photofinish::gateway::simulator
