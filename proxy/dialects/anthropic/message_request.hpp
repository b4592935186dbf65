// What is changed in a request of Anthropic's Messages for one model of one provider. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

namespace photofinish::proxy {

// The edits of prepared.body, which is the request's own; what they leave out is noted in prepared.dropped.
void edit_message_request(const attempt_request& request, prepared_request& prepared);

// Whether the conversation ends with words of the assistant, which the model is to go on with. A turn that was paused while
// the provider's own tools ran does not: every model goes on with it.
bool ends_with_prefill(const client_body& body);

// Tokens of thinking that an effort stands for where a model wants a number: at most half of what the answer may have.
// None: so few that it is refused.
std::optional<std::int64_t> budget_of_effort(std::string_view effort, std::int64_t max_tokens);

}  // namespace photofinish::proxy
