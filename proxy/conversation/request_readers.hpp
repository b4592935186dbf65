// A request of any API -> the conversation that it asks to go on with. [pure]
// One pass over valid JSON, of fixed depth: what is nested deeper is passed over as it is.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/json/client_body.hpp"

#include <variant>

namespace photofinish::proxy {

using read_conversation = std::variant<conversation, request_fault>;

// OpenAI's chat completions, Responses; Anthropic's Messages. The body outlives what is read.
read_conversation read_chat(const client_body& body);
read_conversation read_responses(const client_body& body);
read_conversation read_messages(const client_body& body);

// One whose tokens are to be counted: how long an answer may become is not asked of it.
read_conversation read_messages_to_count(const client_body& body);

}  // namespace photofinish::proxy
