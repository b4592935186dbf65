// Fits `extra_content` and `reasoning_details` of a chat request to its target: its own stay, others' go. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>

namespace photofinish::proxy {

// Returns how many members it removed. A client of chat keeps what it sent. Calls for a Gemini that demands signatures
// get a stand-in if Google's layer for chat serves it.
std::size_t fit_carried_reasoning(const attempt_request& request, json_edits& edits);

}  // namespace photofinish::proxy
