// What a client's `model` stands for: a route, one target, or a list of targets. [pure]
#pragma once

#include "gateway/api_error.hpp"
#include "gateway/config.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// The metrics' label `route` of requests that name no route.
inline constexpr std::string_view direct_route = "_direct";
inline constexpr std::string_view list_route = "_list";

struct runnable {
  std::string route;  // a route's name, or one of the two above
  std::vector<target_name> targets;
  racing::race_settings race;
};

// A list races with policy all, at most max_parallel. Unknown names: 404 with the nearest ones.
std::variant<runnable, api_error> resolve_model(const config& settings, std::string_view model);

// Whether a target may be called directly on its provider's configured key.
bool may_call_directly(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
