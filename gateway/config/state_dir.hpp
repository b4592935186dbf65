// Where this gateway keeps what outlives it. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/process/environment.hpp"

#include <string>

namespace photofinish::gateway {

// `state_dir` of the configuration; else systemd's $STATE_DIRECTORY; else $XDG_STATE_HOME/photofinish; else
// $HOME/.local/state/photofinish. Empty: nowhere, because it says `none`, or there is no home.
std::string state_dir_of(const config& settings, const environment& machine);

}  // namespace photofinish::gateway
