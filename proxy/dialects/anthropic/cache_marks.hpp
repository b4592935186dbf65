// Adds cache marks to a request of Messages that has none. Claude uses the marks to keep a prompt for
// the next turn. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

namespace photofinish::proxy {

// Moves a cache mark of the whole request into the last block of the last user message if the provider refuses the
// former. If the provider is configured for it, marks the prompt of a client of another API that has set no mark.
void edit_cache_marks(const attempt_request& request, const claude_plan& plan, prepared_request& prepared);

}  // namespace photofinish::proxy
