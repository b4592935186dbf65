// Answers GET / with the name of this server and the requests that it accepts. [pure]
#pragma once

#include "gateway/api/routes.hpp"

#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Writes the text of the page. If `version` is empty, the text contains no version.
std::string root_page(std::string_view version, listener_role role,
                      std::span<const api* const> apis);

}  // namespace photofinish::gateway
