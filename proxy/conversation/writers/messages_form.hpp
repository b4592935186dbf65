// Writes a conversation as a request of Anthropic's Messages API. [pure] The request is written for the newest model,
// and Anthropic's dialect later adapts it to other models.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_messages(const conversation& said);

}  // namespace photofinish::proxy
