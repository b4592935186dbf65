// The scripts of limits that gateways share, in Lua; limit_scripts.hpp says what is asked with them. [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway {

std::string_view lease_script();
std::string_view permit_script();

}  // namespace photofinish::gateway
