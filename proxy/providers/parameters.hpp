// Which parameters of a client's body a provider cannot honour. [pure]
// A parameter at its default asks for nothing: it never takes a target out of a race.
#pragma once

#include "proxy/json/client_body.hpp"
#include "proxy/providers/provider.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// False for null, false, empty, and the API's own default: {"n":1}, {"tools":[]}, {"logprobs":false}.
bool is_meaningful(std::string_view parameter, std::string_view value);

// The first of behaviour.reject_params that the body gives a meaning, or its member `inner`: some APIs have them there.
std::optional<std::string_view> unsupported_params(const client_body& body, const behaviour& behaves,
                                                   std::string_view inner = {});

}  // namespace photofinish::proxy
