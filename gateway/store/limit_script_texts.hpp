// Contains the Lua scripts for limits that several gateways share. The file limit_scripts.hpp describes the requests
// and replies of these scripts. [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway {

std::string_view lease_script();
std::string_view permit_script();

}  // namespace photofinish::gateway
