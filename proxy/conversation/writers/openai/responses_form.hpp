// A conversation -> the request that asks a provider of OpenAI's Responses for the same. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

// What depends on the model (whether it reasons, which parameters it refuses) is the dialect's: see model_facts.hpp.
translated_text write_responses(const conversation& said);

}  // namespace photofinish::proxy
