// The token counts of a chat answer, in each spelling that providers use. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <simdjson.h>

#include <optional>

namespace photofinish::proxy {

// Returns nothing if the value reports neither the prompt's tokens nor the answer's.
std::optional<token_usage> read_chat_usage(simdjson::dom::element value);

}  // namespace photofinish::proxy
