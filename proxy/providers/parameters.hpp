// Finds the parameters of a client's body that a provider cannot honour. [pure]
// A parameter at its default asks for nothing, so it never excludes a target from a race.
#pragma once

#include "proxy/json/client_body.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Returns false for null, false, empty values, and the API's own defaults: {"n":1}, {"tools":[]}, {"logprobs":false}.
bool is_meaningful(std::string_view parameter, std::string_view value);

// Returns the first of behaviour.reject_params that has a meaning in the body or in its member `inner`, in which some
// APIs keep parameters.
std::optional<std::string_view> unsupported_params(const client_body& body, const behaviour& behaves,
                                                   std::string_view inner = {});

}  // namespace photofinish::proxy
