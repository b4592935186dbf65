// Reads a request of any API into a conversation. [pure] Each reader expects valid JSON and reads it in a single pass.
// Values nested deeper than a fixed limit are copied without being parsed.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/json/client_body.hpp"

#include <variant>

namespace photofinish::proxy {

using read_conversation = std::variant<conversation, request_fault>;

// These functions read requests of OpenAI's chat completions API, OpenAI's Responses API, and Anthropic's Messages API.
// The body must outlive the conversation.
read_conversation read_chat(const client_body& body);
read_conversation read_responses(const client_body& body);
read_conversation read_messages(const client_body& body);

// Reads a Messages request that only asks for a token count. Such a request may omit `max_tokens`.
read_conversation read_messages_to_count(const client_body& body);

}  // namespace photofinish::proxy
