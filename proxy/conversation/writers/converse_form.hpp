// Writes a conversation as a request of Amazon Bedrock's Converse. [pure] The request has two members that Converse
// does not have: `thinking`, which is {"effort":"high"} or {"budget":2048}, and `top_k`. Bedrock's dialect replaces
// both by members of the request's model.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_converse(const conversation& said);

}  // namespace photofinish::proxy
