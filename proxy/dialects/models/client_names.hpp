// Finds the client's names for the parameters in x-race-dropped. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {

// A translated request is edited with the names of its target's API. Returns the client's own names, each once. `body`
// is the client's body, and `from` its format. If the client's API has no other name, the name stays.
std::vector<std::string> in_client_names(std::vector<std::string> names, const client_body& body, wire_format from);

}  // namespace photofinish::proxy
