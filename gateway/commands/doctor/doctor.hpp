// `photofinish doctor`: tries each target of a configuration once. It reports which targets work, their limits, and
// advice about failures.
#pragma once

#include "gateway/process/environment.hpp"

#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct doctor_options {
  std::string config_file;  // the path of the configuration file; if empty, the command searches the usual places
  std::vector<std::string> targets = {};
  bool wants_json = false;
  std::size_t max_tokens = 64;  // the limit for the output tokens of each answer
  std::chrono::milliseconds patience{30'000};  // the time limit for each target
};

// Runs the command. Returns the exit code: 0 if all targets work, 1 if some do not work. Returns 2 if no target was
// tried, because the configuration or a target's name is wrong.
int run_doctor(const doctor_options& options, const environment& machine, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
