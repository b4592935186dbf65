// Finds settings that a reload reads but does not apply. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>

namespace photofinish::gateway {

// Returns the names of settings that differ from their values at the start of the process, such as "listen,
// log_format". A change of these settings needs a restart. Returns an empty text if there is no such change.
std::string settings_awaiting_restart(const config& started, const config& fresh);

}  // namespace photofinish::gateway
