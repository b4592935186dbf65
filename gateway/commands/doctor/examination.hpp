// Tries the targets for `photofinish doctor`. It tries a few providers at the same time, and the targets of a provider
// one after another.
#pragma once

#include "gateway/commands/doctor/doctor_report.hpp"
#include "gateway/config/config.hpp"

#include <chrono>
#include <cstddef>
#include <vector>

namespace photofinish::gateway {

struct examination_limits {
  std::size_t max_tokens = 64;                 // the limit for the output tokens of each answer
  std::chrono::milliseconds patience{30'000};  // the time limit for each target
};

// Blocks until every target has been tried. The results are in the order of the targets.
std::vector<examined_target> examine(const config& settings, const std::vector<target_name>& targets,
                                     examination_limits limits);

}  // namespace photofinish::gateway
