// Merges token counts that a provider reports more than once for one answer. [pure] Counts are cumulative, but some
// servers end a stream with zeros or with only some of the counts.
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <array>
#include <cstdint>

namespace photofinish::proxy {

// The members of token_usage that contain counts.
inline constexpr std::array all_counts{&token_usage::input_tokens,        &token_usage::output_tokens,
                                       &token_usage::reasoning_tokens,    &token_usage::cached_input_tokens,
                                       &token_usage::written_input_tokens, &token_usage::written_for_hour_tokens};

// Raises each count in `known` to the reported count if the reported count is larger. The number of cached tokens is
// limited to the number of input tokens.
void raise_counts(token_usage& known, const token_usage& reported);

// Adds the reasoning tokens to the output tokens if the provider counts them separately, as xAI does. Usually, the
// reported total shows how the provider counts. If the total is unknown (0), separate counts are assumed if there are
// more reasoning tokens than output tokens.
void add_uncounted_reasoning(token_usage& counts, std::uint64_t total);

// Limits the counts of cached and cache-written tokens to the number of input tokens, which includes them.
void limit_cached_to_input(token_usage& counts);

}  // namespace photofinish::proxy
