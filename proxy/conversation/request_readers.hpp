// Reads a request of any API into the conversation that it wants to continue. [pure]
// One pass over valid JSON with a fixed depth: deeper values are copied unread.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/json/client_body.hpp"

#include <variant>

namespace photofinish::proxy {

using read_conversation = std::variant<conversation, request_fault>;

// Readers of OpenAI's chat completions, OpenAI's Responses, and Anthropic's Messages. The body must outlive the
// conversation.
read_conversation read_chat(const client_body& body);
read_conversation read_responses(const client_body& body);
read_conversation read_messages(const client_body& body);

// Reads a request to count tokens, which does not need a limit of the answer's length.
read_conversation read_messages_to_count(const client_body& body);

}  // namespace photofinish::proxy
