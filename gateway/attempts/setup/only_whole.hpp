// Detects requests that the provider's API can answer only without streaming. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"

namespace photofinish::gateway {

// Returns true if the client asks for no stream, and requests a feature that no stream supports. Such features are chat
// audio in a format other than pcm16, and a vLLM beam search. The dialect handles `best_of` of completions.
bool is_only_whole(const parsed_request& asked);

}  // namespace photofinish::gateway
