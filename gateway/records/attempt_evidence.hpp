// Holds the data about one attempt that the housekeeper gets for the scoreboard and the statistics. [pure]
#pragma once

#include "racing/cooldowns.hpp"
#include "racing/statistics/target_sample.hpp"

#include <optional>

namespace photofinish::gateway {

struct attempt_evidence {
  std::optional<racing::attempt_sample> verdict;  // the success or failure of the attempt, for the scoreboard
  racing::target_sample measured;                 // the times of the attempt, for the statistics; may be empty
};

}  // namespace photofinish::gateway
