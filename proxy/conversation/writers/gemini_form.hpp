// A conversation -> the body that asks Gemini's generateContent for the same. [pure]
// One member of it is not Gemini's: `thinking`, which holds what the client asks for in a form that does not depend on
// the model: {"effort":"high"}, {"budget":4096} or {"config":{..}}. The dialect writes it as its model takes it.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_gemini(const conversation& said);

}  // namespace photofinish::proxy
