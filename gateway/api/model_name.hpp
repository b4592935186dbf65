// The meaning of a client's `model`: a route or an alias of it, one target, or a list of targets. [pure]
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/config/config.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// The metrics' label `route` of requests that name no route.
inline constexpr std::string_view direct_route = "_direct";
inline constexpr std::string_view list_route = "_list";

// The longest names are paths of model files at local engines: 255 bytes a part, a few parts. A list may hold some.
inline constexpr std::size_t longest_model_name = 1024;
inline constexpr std::size_t longest_model = 16u << 10;

struct runnable {
  std::string route;  // a route's name, or one of the two above
  std::vector<target_name> targets;
  racing::race_settings race;
  const gateway::route* from = nullptr;  // where it is a route: of the configuration
  const proxy::required_facts* require = nullptr;  // of the route, or of its rule, which comes later; null: nothing
};

// A route's name comes first, then a target or a list, then an alias, the whole name before the longest pattern.
// A list races with policy all, at most max_parallel. What the caller's access key does not open: 403, before a list is
// walked. Unknown names: 404 with the nearest of those that this caller may use.
std::variant<runnable, api_error> resolve_model(const config& settings, std::string_view model, const caller& who);

// Whether a target may be called directly on its provider's configured key.
bool may_call_directly(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
