// Resolves a client's `model`, which names a route, an alias of a route, a target, or a list of targets. [pure]
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

// The value of the metrics label `route` for requests that name no route.
inline constexpr std::string_view direct_route = "_direct";
inline constexpr std::string_view list_route = "_list";

// The maximum length of a model name in bytes. The longest names are paths of model files at local engines: a few parts
// of up to 255 bytes. A list of targets may contain several names.
inline constexpr std::size_t longest_model_name = 1024;
inline constexpr std::size_t longest_model = 16u << 10;

struct runnable {
  std::string route;  // the route's name, or direct_route or list_route
  std::vector<target_name> targets;
  racing::race_settings race;
  const gateway::route* from = nullptr;  // the configured route; null if the request does not name a route
  // The facts about a model that the targets must have, because the route or the caller's rule requires them. Null if
  // nothing is required.
  const proxy::required_facts* require = nullptr;
};

// Resolves a client's `model`. The function tries these meanings in turn: a route, a target or a list of targets, an
// alias without a pattern, the alias with the longest matching pattern. A list is raced with the policy `all` and at
// most max_parallel targets. If the caller's access key does not permit a name, the error is a 403, even before a list
// is read. An unknown name results in a 404, which names the most similar name that this caller may use.
std::variant<runnable, api_error> resolve_model(const config& settings, std::string_view model, const caller& who);

// True if a client may call this target directly with the key that is configured for its provider.
bool may_call_directly(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
