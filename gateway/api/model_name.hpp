// The meaning of a client's `model`: a route or its alias, one target, or a list of targets. [pure]
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

// The longest names are paths of model files at local engines: a few parts of up to 255 bytes. A list may hold several
// names.
inline constexpr std::size_t longest_model_name = 1024;
inline constexpr std::size_t longest_model = 16u << 10;

struct runnable {
  std::string route;  // a route's name, or one of the two constants above
  std::vector<target_name> targets;
  racing::race_settings race;
  const gateway::route* from = nullptr;  // the route in the configuration; null if no route has the name
  // Facts that targets of the route, or of its rule, must have; null: nothing is required.
  const proxy::required_facts* require = nullptr;
};

// A route's name comes first, then a target or a list, then an alias; a whole name precedes the longest pattern. A list
// races with policy all, at most max_parallel. A name that the caller's access key does not permit is a 403, before a
// list is read. An unknown name is a 404 with the nearest name that this caller may use.
std::variant<runnable, api_error> resolve_model(const config& settings, std::string_view model, const caller& who);

// True if a client may call the target directly with its provider's configured key.
bool may_call_directly(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
