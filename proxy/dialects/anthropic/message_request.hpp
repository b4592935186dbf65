// What is changed in a request of Anthropic's Messages for one model of one provider. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// Of a service whose path says the model.
struct message_envelope {
  std::vector<std::pair<std::string, std::string>> members;  // JSON that stands in the body instead
  bool has_stream = false;  // the body says, too, whether it is a stream
};

// The edits of prepared.body, which is the request's own; what they leave out is noted in prepared.dropped.
void edit_message_request(const attempt_request& request, const claude_plan& plan, prepared_request& prepared,
                          const message_envelope* envelope = nullptr);

// Whether the conversation ends with words of the assistant, which the model is to go on with. A turn that was paused
// while the provider's own tools ran does not: every model goes on with it.
bool ends_with_prefill(const client_body& body);

// Tokens of thinking that an effort stands for where a model wants a number: at most half of what the answer may have.
// None: so few that it is refused.
std::optional<std::int64_t> budget_of_effort(std::string_view effort, std::int64_t max_tokens);

}  // namespace photofinish::proxy
