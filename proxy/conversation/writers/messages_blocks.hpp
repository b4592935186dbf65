// The content blocks of Anthropic's Messages that media, texts and tool calls become. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

#include <string>

namespace photofinish::proxy {

// {"type":"image",...} and the like; empty where there are no words for it, which `form` then says.
std::string media_block(const block& each, translated_text& form);

}  // namespace photofinish::proxy
