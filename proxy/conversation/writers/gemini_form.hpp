// Writes a conversation as the body of Gemini's generateContent. [pure] This gateway adds a member of its own,
// `thinking`. It holds the client's request independently of the model: {"effort":"high"}, {"budget":4096} or
// {"config":{..}}. The dialect translates it for its model.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_gemini(const conversation& said);

}  // namespace photofinish::proxy
