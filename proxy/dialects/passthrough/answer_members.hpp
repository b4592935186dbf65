// What is read of an answer that passes as it is: whether it is an error, and what it counted. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/json_text.hpp"

#include <optional>
#include <vector>

namespace photofinish::proxy {

// A member `error` that says something.
bool reports_error(const std::vector<json_member>& members);

// OpenAI's and Jina's `usage`, Cohere's `meta`; none where neither tells a count.
std::optional<token_usage> usage_of_answer(const std::vector<json_member>& members);

}  // namespace photofinish::proxy
