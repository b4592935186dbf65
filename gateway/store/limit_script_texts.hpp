// Contains the Lua scripts of the limits that gateways share. limit_scripts.hpp describes their requests and replies.
// [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway {

std::string_view lease_script();
std::string_view permit_script();

}  // namespace photofinish::gateway
