// Reads the error and the token counts of an answer that passes unchanged. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/json_text.hpp"

#include <optional>
#include <vector>

namespace photofinish::proxy {

// True if there is a member `error` with content.
bool reports_error(const std::vector<json_member>& members);

// Reads `usage` of OpenAI and Jina, and `meta` of Cohere. Returns nothing if neither reports a count.
std::optional<token_usage> usage_of_answer(const std::vector<json_member>& members);

}  // namespace photofinish::proxy
