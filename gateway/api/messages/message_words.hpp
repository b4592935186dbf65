// Anthropic's words for what an answer's end, its usage and its errors mean. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/api/conversation/answer_blocks.hpp"
#include "proxy/dialects/stream_event.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// stop_reason. A call or a refusal that went out counts, where its provider says "stop", as OpenAI does of a refusal.
// After a broken call (see call_input) it is max_tokens, because clients do not run the calls of a cut answer.
std::string_view stop_word(proxy::finish_reason reason, const answer_blocks& said, bool has_broken_call);

// {"input_tokens":…}: without what came from the cache, which is counted beside it.
std::string usage_json(const proxy::token_usage& usage);

// A `thread` that is not kept for this caller: the SDKs then send the whole conversation, as a new thread.
api_error no_such_thread();

// {"type":"error","error":{"type":…,"message":…}}
std::string message_error_json(const api_error& error);

}  // namespace photofinish::gateway
