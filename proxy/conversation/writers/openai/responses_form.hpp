// Writes a conversation as a request of OpenAI's Responses API. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

// Writes the request without regard to its model. OpenAI's dialect later adapts the request to the model, for example
// by removing parameters that the model refuses (see model_facts.hpp).
translated_text write_responses(const conversation& said);

}  // namespace photofinish::proxy
