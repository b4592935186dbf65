// Adds cache marks to a Messages request that has none. A cache mark asks Claude to keep the prompt in its cache for
// the next turn. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

namespace photofinish::proxy {

// If the provider refuses a cache mark for the whole request, moves the mark into the last block of the last user
// message. If the operator has enabled cache marks for translated requests, also adds a cache mark to a request that
// was translated from another API and has none.
void edit_cache_marks(const attempt_request& request, const claude_plan& plan, prepared_request& prepared);

}  // namespace photofinish::proxy
