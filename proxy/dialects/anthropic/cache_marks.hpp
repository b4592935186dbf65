// Adds cache marks to a Messages request that has none. A cache mark asks Claude to keep the prompt in its cache for
// the next turn. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

namespace photofinish::proxy {

// Moves a request's cache mark to the last block of the last user message if the provider refuses cache marks for the
// whole request. If the operator has enabled automatic cache marks, also adds one to a translated request that has
// none.
void edit_cache_marks(const attempt_request& request, const claude_plan& plan, prepared_request& prepared);

}  // namespace photofinish::proxy
