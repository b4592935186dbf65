// GET /: what answers here, and what may be asked of it. [pure]
#pragma once

#include "gateway/api/routes.hpp"

#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// `version` is empty where it is not shown.
std::string root_page(std::string_view version, listener_role role,
                      std::span<const api* const> apis);

}  // namespace photofinish::gateway
