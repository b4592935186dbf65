// Settings that a reload reads but does not apply. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>

namespace photofinish::gateway {

// "listen, log_format": the settings that differ from the values at the start of the process, and so need a restart.
// Empty: none.
std::string settings_awaiting_restart(const config& started, const config& fresh);

}  // namespace photofinish::gateway
