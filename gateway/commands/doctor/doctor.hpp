// `photofinish doctor`: tries each target of a configuration once, and says what works, what each limit is, and what to
// do about the rest.
#pragma once

#include "gateway/process/environment.hpp"

#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct doctor_options {
  std::string config_file;  // empty: as every command finds it
  std::vector<std::string> targets = {};
  bool wants_json = false;
  std::size_t max_tokens = 64;  // of each answer
  std::chrono::milliseconds patience{30'000};  // for each target
};

// 0: all work; 1: some do not; 2: the configuration or a target's name is wrong, and nothing was tried.
int run_doctor(const doctor_options& options, const environment& machine, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
