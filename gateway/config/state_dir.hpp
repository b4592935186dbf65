// The folder in which this gateway stores data that outlives it. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <string>

namespace photofinish::gateway {

// `state_dir` of the configuration, otherwise systemd's $STATE_DIRECTORY, otherwise $XDG_STATE_HOME/photofinish,
// otherwise $HOME/.local/state/photofinish. Empty: nothing is stored, because the setting is `none`, or there is no
// home.
std::string state_dir_of(const config& settings, const environment& machine);

}  // namespace photofinish::gateway
