// Edits a request of Anthropic's Messages for one model of one provider. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// Parts of a request to a service that has the model in its path.
struct message_envelope {
  std::vector<std::pair<std::string, std::string>> members;  // members to add to the body, as raw JSON
  bool has_stream = false;  // true if the body also has `stream`
};

// Edits prepared.body, which must be the request's own body. The names of parts that are left out are added
// to prepared.dropped.
void edit_message_request(const attempt_request& request, const claude_plan& plan, prepared_request& prepared,
                          const message_envelope* envelope = nullptr);

// True if the conversation ends with text of the assistant that the model has to continue. A turn that was paused
// between the provider's own tools does not count, because every model continues it.
bool ends_with_prefill(const client_body& body);

// Returns a thinking budget in tokens for an effort, for a model that needs a number. The budget is at most half of the
// answer's token limit. Returns nullopt if the model would not accept such a small budget.
std::optional<std::int64_t> budget_of_effort(std::string_view effort, std::int64_t max_tokens);

}  // namespace photofinish::proxy
