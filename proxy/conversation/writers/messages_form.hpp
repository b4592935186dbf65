// Writes a conversation as a request of Anthropic's Messages. [pure] The request suits the newest model, and
// Anthropic's dialect adapts it for other models.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_messages(const conversation& said);

}  // namespace photofinish::proxy
