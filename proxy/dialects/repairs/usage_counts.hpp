// Merges counts that a provider reports more than once for one answer. [pure]
// Counts are cumulative, but some servers end a stream with zeros or with only a part of the counts.
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <array>
#include <cstdint>

namespace photofinish::proxy {

// The members of token_usage that can be added or compared.
inline constexpr std::array all_counts{&token_usage::input_tokens,        &token_usage::output_tokens,
                                       &token_usage::reasoning_tokens,    &token_usage::cached_input_tokens,
                                       &token_usage::written_input_tokens, &token_usage::written_for_hour_tokens};

// Raises each count of `known` to the reported count. A smaller count never replaces a larger one. The number of cached
// tokens stays at most the input's.
void raise_counts(token_usage& known, const token_usage& reported);

// Adds the reasoning to the output if the provider counts it separately, as xAI does. A reported total shows how the
// provider counts. Without a total (0), more reasoning than output shows it.
void add_uncounted_reasoning(token_usage& counts, std::uint64_t total);

// Limits the counts of cached and cache-written tokens to the input, because they are a part of the input.
void limit_cached_to_input(token_usage& counts);

}  // namespace photofinish::proxy
