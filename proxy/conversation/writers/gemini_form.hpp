// Writes a conversation as the body of Gemini's generateContent. [pure] The body has a member `thinking`, which Gemini
// does not have. This member contains the client's reasoning settings for any model: {"effort":"high"}, {"budget":4096}
// or {"config":{..}}. Gemini's dialect replaces the member by the settings of the request's model.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_gemini(const conversation& said);

}  // namespace photofinish::proxy
