// What one attempt leaves behind for the housekeeper. [pure]
#pragma once

#include "racing/cooldowns.hpp"
#include "racing/statistics/target_sample.hpp"

#include <optional>

namespace photofinish::gateway {

struct attempt_evidence {
  std::optional<racing::attempt_sample> verdict;  // for the scoreboard: it worked, or failed
  racing::target_sample measured;                 // for the statistics; may say nothing
};

}  // namespace photofinish::gateway
