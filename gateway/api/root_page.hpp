// GET /: names this server and the requests that it serves. [pure]
#pragma once

#include "gateway/api/routes.hpp"

#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// An empty `version` is not shown.
std::string root_page(std::string_view version, listener_role role,
                      std::span<const api* const> apis);

}  // namespace photofinish::gateway
