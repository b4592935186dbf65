// What a request says to a provider of each format, as a plain reader finds it.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "tests/unit/proxy/pairs/dialogue.hpp"

namespace photofinish::proxy::pairs {

// Throws where the request has another shape than its format.
dialogue read_as_provider(wire_format format, const json& request);

}  // namespace photofinish::proxy::pairs
