// Holds the data about one attempt that the housekeeper needs for the scoreboard and the statistics. [pure]
#pragma once

#include "racing/cooldowns.hpp"
#include "racing/statistics/target_sample.hpp"

#include <optional>

namespace photofinish::gateway {

struct attempt_evidence {
  std::optional<racing::attempt_sample> verdict;  // whether the attempt succeeded or failed, for the scoreboard
  racing::target_sample measured;                 // the times of the attempt, for the statistics; may be empty
};

}  // namespace photofinish::gateway
