// The folder in which this gateway stores data that it needs after a restart. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <string>

namespace photofinish::gateway {

// Returns the first of these folders that is set: `state_dir` of the configuration, systemd's $STATE_DIRECTORY,
// $XDG_STATE_HOME/photofinish, $HOME/.local/state/photofinish. Returns an empty text if nothing is stored: the setting
// is `none`, or there is no home folder.
std::string state_dir_of(const config& settings, const environment& machine);

}  // namespace photofinish::gateway
