// Reads the error and the token counts of an answer that passes unchanged. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/json_text.hpp"

#include <optional>
#include <vector>

namespace photofinish::proxy {

// True if the answer has a member `error` with content.
bool reports_error(const std::vector<json_member>& members);

// Reads the usage of OpenAI and Jina in `usage`, and of Cohere in `meta`. Returns nullopt if neither reports a count.
std::optional<token_usage> usage_of_answer(const std::vector<json_member>& members);

}  // namespace photofinish::proxy
