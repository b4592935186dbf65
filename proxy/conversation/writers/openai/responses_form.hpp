// Writes a conversation as a request of OpenAI's Responses. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

// The dialect handles differences between models (whether a model reasons, which parameters it refuses):
// see model_facts.hpp.
translated_text write_responses(const conversation& said);

}  // namespace photofinish::proxy
