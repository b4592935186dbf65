// Writes a conversation as a request of OpenAI's Responses. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

// The written request is the same for every model. OpenAI's dialect adapts it (does the model reason, which parameters
// does it refuse): see model_facts.hpp.
translated_text write_responses(const conversation& said);

}  // namespace photofinish::proxy
