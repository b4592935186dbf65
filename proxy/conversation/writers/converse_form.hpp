// Writes a conversation as a request of Amazon Bedrock's Converse. [pure] This gateway adds two members of its own:
// `thinking`, which is {"effort":"high"} or {"budget":2048}, and `top_k`. The dialect translates both for the model
// that gets the request.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_converse(const conversation& said);

}  // namespace photofinish::proxy
