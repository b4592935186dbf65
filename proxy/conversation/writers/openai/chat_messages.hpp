// The turns of a conversation -> the messages of a chat request. [pure]
// One assistant message for each run of its texts, reasoning and calls; each call's result right behind it, wherever
// the client put it.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

// Appends the messages, separated by commas, to the form's JSON; what has no place there is noted in it.
void write_chat_messages(const conversation& said, translated_text& form);

}  // namespace photofinish::proxy
