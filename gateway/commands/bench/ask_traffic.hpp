// Asks a gateway what went through it: for --forecast, before anything is measured.
#pragma once

#include "gateway/bench/scorecard/scorecard.hpp"
#include "gateway/commands/bench/bench_flags.hpp"

#include <optional>
#include <string>

namespace photofinish::gateway {

struct traffic_result {
  std::optional<bench::own_traffic> found;  // none: none is wanted
  std::string problem;
};

// Blocks until it has answered, for 15 seconds at most.
traffic_result ask_traffic(const bench_flags& flags);

}  // namespace photofinish::gateway
