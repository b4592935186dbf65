// Claude on Google's Vertex AI: Anthropic's Messages behind a path that says the model. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/providers/base_url.hpp"

#include <string>

namespace photofinish::proxy {

// Whether a base URL is that of Anthropic's models there: it ends in /publishers/anthropic.
bool is_vertex(const base_url& url);

// Behind it.
std::string vertex_path(const attempt_request& request);

void edit_vertex_request(const attempt_request& request, const claude_plan& plan, prepared_request& prepared);

}  // namespace photofinish::proxy
