// The request members by which a client of OpenAI's streaming APIs selects the form of its answer. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "proxy/dialects/usage_chunk.hpp"
#include "proxy/json/client_body.hpp"

#include <optional>

namespace photofinish::gateway {

// Checks the request members `stream` and `stream_options`.
std::optional<api_error> check_stream_members(const proxy::client_body& body);

// Returns which chunks of the stream should contain the usage.
// Call this only if check_stream_members() returned no error.
proxy::usage_chunk usage_asked_for(const proxy::client_body& body);

}  // namespace photofinish::gateway
