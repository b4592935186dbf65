// Removes `extra_content` and `reasoning_details` of other targets from a chat request and keeps the
// target's own. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>

namespace photofinish::proxy {

// Edits the request, because clients of chat send back all members that they got. Returns the number of removed
// members. If Google's layer for chat serves the target, and its Gemini model demands signatures, unsigned
// calls get a stand-in.
std::size_t fit_carried_reasoning(const attempt_request& request, json_edits& edits);

}  // namespace photofinish::proxy
