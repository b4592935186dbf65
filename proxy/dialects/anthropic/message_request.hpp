// Edits a request of Anthropic's Messages API for one model of one provider. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// Changes to the request body for a service that expects the model's name in the URL path.
struct message_envelope {
  std::vector<std::pair<std::string, std::string>> members;  // the members to add to the body, as raw JSON
  bool has_stream = false;  // true if the service accepts the member `stream` in the body
};

// Edits prepared.body, which must contain the body of `request`. Adds the names of omitted parts to prepared.dropped.
void edit_message_request(const attempt_request& request, const claude_plan& plan, prepared_request& prepared,
                          const message_envelope* envelope = nullptr);

// True if the conversation ends with text of the assistant that the model has to continue. A turn that the provider
// paused between steps of its own tools is an exception, because every model can continue such a turn.
bool ends_with_prefill(const client_body& body);

// Converts an effort to a thinking budget in tokens, for models that require a number. The budget is at most half of
// the answer's token limit. Returns nullopt if the budget would be too small for the model.
std::optional<std::int64_t> budget_of_effort(std::string_view effort, std::int64_t max_tokens);

}  // namespace photofinish::proxy
