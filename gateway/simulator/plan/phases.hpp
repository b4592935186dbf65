// Periods in which a simulated provider behaves differently. [pure]
// A phase is written `FROM-TO;setting;setting=value`, as in `2m-4m;slow=3` or `90s-;hang`, counted from the start.
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
  std::optional<microseconds> to;  // empty: no end
  std::string settings;            // valid `setting;setting=value`

  bool holds_at(microseconds since_start) const { return since_start >= from && (!to || since_start < *to); }
  bool operator==(const sim_phase&) const = default;
};

// A failure describes the form of a phase; its kind is bad_request.
proxy::result<sim_phase> parse_phase(std::string_view text);

// One phase per line; empty lines and text after a # are ignored. A failure names the line.
proxy::result<std::vector<sim_phase>> parse_phases(std::string_view text);

// Applies the phases of that time to `usual`, in their order.
sim_behaviour behaviour_at(const sim_behaviour& usual, std::span<const sim_phase> phases, microseconds since_start);

}  // namespace photofinish::gateway::simulator
