// Reads the error and the token counts of an answer that the client gets unchanged. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/json_text.hpp"

#include <optional>
#include <vector>

namespace photofinish::proxy {

// True if the answer has a member `error` that is not empty.
bool reports_error(const std::vector<json_member>& members);

// Reads the usage of OpenAI and Jina from the member `usage`, and the usage of Cohere from the member `meta`. Returns
// nullopt if neither member contains a count.
std::optional<token_usage> usage_of_answer(const std::vector<json_member>& members);

}  // namespace photofinish::proxy
