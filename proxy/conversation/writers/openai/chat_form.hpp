// Writes a conversation as a request of OpenAI's chat completions API. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

translated_text write_chat(const conversation& said);

// Returns the OpenAI effort level that is closest to a thinking budget in tokens.
std::string_view effort_of_budget(std::int64_t tokens);

}  // namespace photofinish::proxy
