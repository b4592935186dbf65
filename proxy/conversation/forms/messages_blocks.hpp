// The content blocks of Anthropic's Messages that media, texts and tool calls become. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/forms/translated_text.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Whether a text, between its quotes, says nothing: such blocks are refused.
bool is_blank(std::string_view raw);

// The same text without white space at its end.
std::string_view without_blank_end(std::string_view raw);

// {"type":"image",...} and the like; empty where there are no words for it, which `form` then says.
std::string media_block(const block& each, translated_text& form);

}  // namespace photofinish::proxy
