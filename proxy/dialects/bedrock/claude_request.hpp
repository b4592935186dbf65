// What is changed in a request of Anthropic's Messages for Claude at Bedrock, and what it cannot serve there. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <optional>
#include <string_view>

namespace photofinish::proxy {

void edit_claude_request(const attempt_request& request, prepared_request& prepared);

// Media elsewhere, and tools that Anthropic runs itself.
std::optional<std::string_view> unsupported_for_claude(const client_body& body, std::string_view model);

}  // namespace photofinish::proxy
