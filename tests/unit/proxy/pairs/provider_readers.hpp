// A plain reader that finds the content of a request to a provider, for each format.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "tests/unit/proxy/pairs/dialogue.hpp"

namespace photofinish::proxy::pairs {

// Reads a request to a provider. Throws if the request does not have the form of its format.
dialogue read_as_provider(wire_format format, const json& request);

}  // namespace photofinish::proxy::pairs
