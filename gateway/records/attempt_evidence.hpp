// Holds the facts about one attempt that the housekeeper gets. [pure]
#pragma once

#include "racing/cooldowns.hpp"
#include "racing/statistics/target_sample.hpp"

#include <optional>

namespace photofinish::gateway {

struct attempt_evidence {
  std::optional<racing::attempt_sample> verdict;  // the success or the failure, for the scoreboard
  racing::target_sample measured;                 // the measurement for the statistics, which may be empty
};

}  // namespace photofinish::gateway
