// Writes a conversation as the body of Gemini's generateContent. [pure] The body has an additional member `thinking`,
// which Gemini does not know. This member contains the client's reasoning settings: {"effort":"high"}, {"budget":4096}
// or {"config":{..}}. Gemini's dialect later replaces it with settings for the request's model.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_gemini(const conversation& said);

}  // namespace photofinish::proxy
