// Finds the parameters of a client's body that a provider does not support. [pure] A parameter with its default value
// has no effect, so it never excludes a target from a race.
#pragma once

#include "proxy/json/client_body.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Returns false if the value is null, false, empty, or the API's own default, such as {"n":1}, {"tools":[]} or
// {"logprobs":false}.
bool is_meaningful(std::string_view parameter, std::string_view value);

// Returns the first parameter of behaviour.reject_params that the body sets to a value other than its default. In some
// APIs, the parameters are nested in another member, whose name is then given as `inner`.
std::optional<std::string_view> unsupported_params(const client_body& body, const behaviour& behaves,
                                                   std::string_view inner = {});

}  // namespace photofinish::proxy
