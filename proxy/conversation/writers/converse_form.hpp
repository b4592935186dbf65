// Writes a conversation as a request of Amazon Bedrock's Converse API. [pure] The request has two additional members
// that Converse does not know: `thinking`, which is {"effort":"high"} or {"budget":2048}, and `top_k`. Bedrock's
// dialect later replaces both with members that the request's model accepts.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_converse(const conversation& said);

}  // namespace photofinish::proxy
