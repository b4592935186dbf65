// GET /v1/models: routes and targets, from the configuration alone. [pure]
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/config/config.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// {"object":"list","data":[{"id":…,"object":"model","created":…,"owned_by":…}]}: what this caller may use.
// `created`: since when they are here.
std::string list_models(const config& settings, const caller& who, std::chrono::sys_seconds created);

// One of them, or 404.
std::variant<std::string, api_error> describe_model(const config& settings, const caller& who, std::string_view id,
                                                    std::chrono::sys_seconds created);

}  // namespace photofinish::gateway
