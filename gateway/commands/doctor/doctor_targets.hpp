// Which targets `photofinish doctor` tries. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <vector>

namespace photofinish::gateway {

struct doctor_targets {
  std::vector<target_name> chosen = {};   // each once, those of one provider in the file's order
  std::vector<std::string> notes = {};    // providers that nothing can be tried at
  std::string problem = {};               // what was asked for does not exist; empty: all does
};

// `asked`: routes, providers and provider/model; empty: every target of a route, and all that `models` names.
doctor_targets targets_to_try(const config& settings, const std::vector<std::string>& asked);

}  // namespace photofinish::gateway
