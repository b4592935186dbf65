// A conversation's turns -> Anthropic's `system` and `messages`. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

// "system":[…],"messages":[…]
void write_messages_turns(const conversation& said, translated_text& form);

}  // namespace photofinish::proxy
