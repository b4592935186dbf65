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

// The maximum length of a model name in bytes. The longest names at local engines are paths of model files, with a few
// parts of up to 255 bytes. A list of targets may contain several names.
inline constexpr std::size_t longest_model_name = 1024;
inline constexpr std::size_t longest_model = 16u << 10;

struct runnable {
  std::string route;  // the route's name, or direct_route or list_route
  std::vector<target_name> targets;
  racing::race_settings race;
  const gateway::route* from = nullptr;  // the configured route; null if the request does not name a route
  // The properties that the targets' models must have, because the route or the caller's rule requires them. Null if
  // nothing is required.
  const proxy::required_facts* require = nullptr;
};

// Resolves a client's `model`. The function tries these meanings in turn: a route, a target or a list of targets, an
// alias without a pattern, and the alias with the longest matching pattern. At most max_parallel targets of a list
// race, with the policy `all`. A name that the caller's access key does not permit results in a 403. An unknown name
// results in a 404. The error suggests the most similar name that the caller may use.
std::variant<runnable, api_error> resolve_model(const config& settings, std::string_view model, const caller& who);

// True if a client may call this target directly. The gateway then uses the key that is configured for the target's
// provider.
bool may_call_directly(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
