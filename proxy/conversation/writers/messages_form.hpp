// A conversation -> the request that asks a provider of Anthropic's Messages for the same. [pure]
// What depends on the model is written for the newest; the dialect makes of it what the others take.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_messages(const conversation& said);

}  // namespace photofinish::proxy
