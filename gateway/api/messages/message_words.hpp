// Writes the end, the usage and the errors of an answer in the format of Anthropic's API. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/api/conversation/answer_blocks.hpp"
#include "proxy/dialects/stream_event.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns stop_reason. A tool call or a refusal in the answer determines stop_reason, even if the provider reports
// "stop", as OpenAI does after a refusal. After a tool call with broken arguments, stop_reason is max_tokens, because
// clients do not run the tool calls of an answer with this stop_reason.
std::string_view stop_word(proxy::finish_reason reason, const answer_blocks& said, bool has_broken_call);

// Writes {"input_tokens":…} for the usage of an answer. This
// number excludes cached tokens, which another member counts.
std::string usage_json(const proxy::token_usage& usage);

// Returns the error for a `thread` that the gateway does not keep for this caller. After this error, SDKs send the
// whole conversation as a new thread.
api_error no_such_thread();

// Returns the error as JSON: {"type":"error","error":{"type":…,"message":…}}.
std::string message_error_json(const api_error& error);

}  // namespace photofinish::gateway
