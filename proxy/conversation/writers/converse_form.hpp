// A conversation -> the request that asks Amazon Bedrock's Converse for the same. [pure]
// Its member `thinking`, {"effort":"high"} or {"budget":2048}, and its `top_k` are ours: the dialect says them in the
// words of the model that gets them.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

translated_text write_converse(const conversation& said);

}  // namespace photofinish::proxy
