// Finds the parameters of a client's body that a provider cannot honour. [pure] A parameter at its default requests
// nothing, so it never excludes a target from a race.
#pragma once

#include "proxy/json/client_body.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Returns false if the value is null, false, empty, or the API's own default: {"n":1},
// {"tools":[]}, {"logprobs":false}.
bool is_meaningful(std::string_view parameter, std::string_view value);

// Returns the first parameter of behaviour.reject_params that has a meaning in the body, or in the body's member
// `inner`, in which some APIs keep parameters.
std::optional<std::string_view> unsupported_params(const client_body& body, const behaviour& behaves,
                                                   std::string_view inner = {});

}  // namespace photofinish::proxy
