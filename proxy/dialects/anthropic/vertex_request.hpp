// Claude on Google's Vertex AI: Anthropic's Messages behind a path that says the model. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

#include <string>

namespace photofinish::proxy {

// The path after the base URL.
std::string vertex_path(const attempt_request& request);

void edit_vertex_request(const attempt_request& request, const claude_plan& plan, prepared_request& prepared);

}  // namespace photofinish::proxy
