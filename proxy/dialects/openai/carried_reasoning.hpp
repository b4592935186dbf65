// Removes `extra_content` and `reasoning_details` from a chat request if they came from another target in an earlier
// answer. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>

namespace photofinish::proxy {

// Removes the members `extra_content` and `reasoning_details` that the target may not get. Clients of the chat API send
// back all members that they received, even if another target sent them. If a Gemini model at Google's
// OpenAI-compatible API requires signatures, calls without a signature get a placeholder. Returns the number of removed
// members.
std::size_t fit_carried_reasoning(const attempt_request& request, json_edits& edits);

}  // namespace photofinish::proxy
