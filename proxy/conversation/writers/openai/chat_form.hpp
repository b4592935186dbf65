// A conversation -> the request that asks a provider of OpenAI's chat completions for the same. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

translated_text write_chat(const conversation& said);

// OpenAI's word for a budget of thinking, in tokens.
std::string_view effort_of_budget(std::int64_t tokens);

}  // namespace photofinish::proxy
