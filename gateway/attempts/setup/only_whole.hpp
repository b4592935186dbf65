// Requests that their API answers in one piece alone. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"

namespace photofinish::gateway {

// A client that wants its answer whole asks for something that no stream can have: chat's audio in another format than
// pcm16, or a beam search of vLLM's. The dialect knows `best_of` of completions.
bool is_only_whole(const parsed_request& asked);

}  // namespace photofinish::gateway
