// Images, documents and sound as Gemini's parts. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Appends inlineData or fileData, an object without its part's other members. Nothing is appended, and the name of what
// Gemini has no words for is given, where it cannot be said.
std::string_view append_gemini_media(const block& each, std::string& out);

}  // namespace photofinish::proxy
