// The marks by which Claude keeps a prompt for the next turn, where a request of Messages does not have them. [pure]
#pragma once

#include "proxy/dialects/anthropic/claude_plan.hpp"
#include "proxy/dialects/dialect.hpp"

namespace photofinish::proxy {

// Moves a mark of the whole request into the last block of the last message from a user, if the place refuses it at the
// top. Marks the prompt of a client of another API that has set no mark, if the provider is configured so.
void edit_cache_marks(const attempt_request& request, const claude_plan& plan, prepared_request& prepared);

}  // namespace photofinish::proxy
