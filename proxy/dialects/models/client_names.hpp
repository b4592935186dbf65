// Translates the names of dropped parameters in the header x-race-dropped to the names that the client used. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {

// Translates the names of dropped parameters to the names that the client used, and lists each name once. `names`
// contains the names in the target's API, because a translated request is edited in the target's format. `body` is the
// client's body, and `from` is its format. If the client's API uses the same name for a parameter, the name stays
// unchanged.
std::vector<std::string> in_client_names(std::vector<std::string> names, const client_body& body, wire_format from);

}  // namespace photofinish::proxy
