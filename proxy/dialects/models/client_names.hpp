// The names of parameters in x-race-dropped, as the client spells them. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"

#include <string>
#include <vector>

namespace photofinish::proxy {

// A translated request is edited in the words of its target's API. Returns the client's own words for them, each once.
// `body` is the client's, and `from` its format. A name that the client has no other word for stays.
std::vector<std::string> in_client_names(std::vector<std::string> names, const client_body& body, wire_format from);

}  // namespace photofinish::proxy
