// Removes `extra_content` and `reasoning_details` from a chat request, unless the request's own target sent them in an
// earlier answer. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>

namespace photofinish::proxy {

// Edits the request. Clients of chat send back all members that they received, whichever target sent the members.
// Returns the number of removed members. If the target is a Gemini model at Google's OpenAI-compatible API, and the
// model requires signatures, unsigned calls get a placeholder.
std::size_t fit_carried_reasoning(const attempt_request& request, json_edits& edits);

}  // namespace photofinish::proxy
