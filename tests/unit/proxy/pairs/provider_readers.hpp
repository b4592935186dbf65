// The content of a request to a provider of each format, found by a plain reader.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "tests/unit/proxy/pairs/dialogue.hpp"

namespace photofinish::proxy::pairs {

// Throws if the request does not have its format's form.
dialogue read_as_provider(wire_format format, const json& request);

}  // namespace photofinish::proxy::pairs
