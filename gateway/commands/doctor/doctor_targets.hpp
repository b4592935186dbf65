// Selects the targets that `photofinish doctor` tries. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <vector>

namespace photofinish::gateway {

struct doctor_targets {
  std::vector<target_name> chosen = {};   // each once; targets of the same provider in the file's order
  std::vector<std::string> notes = {};    // notes about providers without a target to try
  std::string problem = {};               // a requested name does not exist; empty: all exist
};

// `asked`: routes, providers and provider/model names. If empty, selects the targets of all routes and all targets that
// `models` names.
doctor_targets targets_to_try(const config& settings, const std::vector<std::string>& asked);

}  // namespace photofinish::gateway
