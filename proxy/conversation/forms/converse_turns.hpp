// A conversation's turns -> `system` and `messages` of Amazon Bedrock's Converse. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

// "system":[…],"messages":[…]
void write_converse_turns(const conversation& said, translated_text& form);

}  // namespace photofinish::proxy
