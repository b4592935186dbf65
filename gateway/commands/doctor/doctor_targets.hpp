// Selects the targets that `photofinish doctor` tries. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <vector>

namespace photofinish::gateway {

struct doctor_targets {
  std::vector<target_name> chosen = {};   // distinct targets; a provider's targets have the order of the file
  std::vector<std::string> notes = {};    // notes about providers that have no target to try
  std::string problem = {};               // the name of a requested target that does not exist; otherwise empty
};

// Selects the targets. `asked` contains names of routes, of providers, and of targets such as provider/model. If it is
// empty, the targets of all routes and the models that `models` names are selected.
doctor_targets targets_to_try(const config& settings, const std::vector<std::string>& asked);

}  // namespace photofinish::gateway
