// Edits a request of Anthropic's Messages for one model of one provider. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// The parts of a request that differ for services whose path contains the model.
struct message_envelope {
  std::vector<std::pair<std::string, std::string>> members;  // members to add to the body, as raw JSON
  bool has_stream = false;  // true if the body may have `stream`
};

// Edits prepared.body, which must contain the body of `request`. The names of parts that are left out are added to
// prepared.dropped.
void edit_message_request(const attempt_request& request, const claude_plan& plan, prepared_request& prepared,
                          const message_envelope* envelope = nullptr);

// True if the conversation ends with text of the assistant that the model has to continue. A turn that was paused
// between steps of the provider's own tools is not such a text, because every model can continue the turn.
bool ends_with_prefill(const client_body& body);

// Returns a thinking budget in tokens for an effort, for models that require a number. The budget is at most half of
// the answer's token limit. Returns nullopt if the model would not accept such a small budget.
std::optional<std::int64_t> budget_of_effort(std::string_view effort, std::int64_t max_tokens);

}  // namespace photofinish::proxy
