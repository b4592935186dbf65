// What a simulated provider's day looks like: times at which it behaves otherwise. [pure]
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
  std::optional<microseconds> to;  // none: from then on
  std::string settings;            // `setting;setting=value`, which are valid

  bool holds_at(microseconds since_start) const { return since_start >= from && (!to || since_start < *to); }
  bool operator==(const sim_phase&) const = default;
};

// A failure says what a phase takes; its kind is bad_request.
proxy::result<sim_phase> parse_phase(std::string_view text);

// One phase a line; an empty line and what stands behind a # is no phase. A failure names the line.
proxy::result<std::vector<sim_phase>> parse_phases(std::string_view text);

// Those that hold change `usual`, in their order.
sim_behaviour behaviour_at(const sim_behaviour& usual, std::span<const sim_phase> phases, microseconds since_start);

}  // namespace photofinish::gateway::simulator
