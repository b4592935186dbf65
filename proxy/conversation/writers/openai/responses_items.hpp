// The turns of a conversation -> the instructions and the input items of a Responses request. [pure]
// Each call's output stands right behind its run of calls, wherever the client put it; a missing one is filled in.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

// Appends "instructions" and "input" to the form's JSON, which has no member yet; what has no place there is noted in
// it.
void write_response_items(const conversation& said, translated_text& form);

}  // namespace photofinish::proxy
