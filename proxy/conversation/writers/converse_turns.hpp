// A conversation's turns -> `system` and `messages` of Amazon Bedrock's Converse. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"

namespace photofinish::proxy {

// What became of the client's cache marks.
enum class cache_marks { none, written, left_out };

// "system":[…],"messages":[…]. A marked block has a member `cachePoint`, which only some models take: the dialect makes
// it a block of its own, or takes it away (converse_request.hpp).
cache_marks write_converse_turns(const conversation& said, translated_text& form);

}  // namespace photofinish::proxy
