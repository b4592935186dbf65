// Adds cache marks to a Messages request that has none. A cache mark asks Claude to keep the prompt in its cache for
// the next turn. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

namespace photofinish::proxy {

// If the provider refuses a cache mark for the whole request, moves the mark to the last block of the last user
// message. Also adds a cache mark to a translated request without cache marks, if the operator has enabled this.
void edit_cache_marks(const attempt_request& request, const claude_plan& plan, prepared_request& prepared);

}  // namespace photofinish::proxy
