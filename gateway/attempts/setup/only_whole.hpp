// Detects requests that the provider's API can answer only without a stream. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"

namespace photofinish::gateway {

// Returns true if the client does not ask for a stream and needs a feature that does not work in a stream. These
// features are chat audio in a format other than pcm16, and vLLM's beam search. The dialect handles `best_of` of
// completions.
bool is_only_whole(const parsed_request& asked);

}  // namespace photofinish::gateway
