// What is changed in a request of Anthropic's Messages for Claude at Bedrock, and what it cannot serve there. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

void edit_claude_request(const attempt_request& request, prepared_request& prepared);

// Media elsewhere, tools that Anthropic runs itself, and what the model refuses.
std::optional<std::string_view> unsupported_for_claude(const client_body& body, std::string_view model,
                                                       const provider& target);

}  // namespace photofinish::proxy
