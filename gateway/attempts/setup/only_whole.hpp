// Requests that their API answers only in one piece. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"

namespace photofinish::gateway {

// True if a client that wants a whole answer asks for something that no stream can contain: chat audio in a format
// other than pcm16, or a vLLM beam search. The dialect handles `best_of` of completions.
bool is_only_whole(const parsed_request& asked);

}  // namespace photofinish::gateway
