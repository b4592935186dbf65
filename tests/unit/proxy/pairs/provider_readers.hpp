// A simple reader for each format of requests to providers. It finds the content of a request.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "tests/unit/proxy/pairs/dialogue.hpp"

namespace photofinish::proxy::pairs {

// Reads a request to a provider. Throws if the request does not follow its format.
dialogue read_as_provider(wire_format format, const json& request);

}  // namespace photofinish::proxy::pairs
