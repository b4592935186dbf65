// Settings that a reload reads and does not put into use. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>

namespace photofinish::gateway {

// "listen, log_format": those that differ from what the process was started with, and so need a restart. Empty: none.
std::string settings_awaiting_restart(const config& started, const config& fresh);

}  // namespace photofinish::gateway
