// Selects the targets that `photofinish doctor` tries. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <vector>

namespace photofinish::gateway {

struct doctor_targets {
  std::vector<target_name> chosen = {};   // the distinct targets; targets of one provider are in the order of the file
  std::vector<std::string> notes = {};    // notes about providers that have no target to try
  // The name of a requested target that does not exist; empty if all targets exist.
  std::string problem = {};
};

// Selects the targets. `asked` contains names of routes, providers, and targets such as provider/model. If it is empty,
// selects the targets of all routes and the models in the setting `models`.
doctor_targets targets_to_try(const config& settings, const std::vector<std::string>& asked);

}  // namespace photofinish::gateway
