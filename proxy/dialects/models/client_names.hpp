// Finds the client's names for the parameters in x-race-dropped. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {

// Returns the client's own names for dropped parameters, each once. The names come from the target's API, because a
// translated request is edited in its form. `body` is the client's body, and `from` is its format. If the client's API
// has no other name, the name stays.
std::vector<std::string> in_client_names(std::vector<std::string> names, const client_body& body, wire_format from);

}  // namespace photofinish::proxy
