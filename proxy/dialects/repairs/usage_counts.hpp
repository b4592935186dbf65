// Counts that a provider reports more than once for one answer. [pure]
// They are cumulative, but some servers end a stream with zeros, or with a part of the counts.
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <array>
#include <cstdint>

namespace photofinish::proxy {

// The counts of a usage, which are all that can be added or compared.
inline constexpr std::array all_counts{&token_usage::input_tokens,        &token_usage::output_tokens,
                                       &token_usage::reasoning_tokens,    &token_usage::cached_input_tokens,
                                       &token_usage::written_input_tokens, &token_usage::written_for_hour_tokens};

// Raises each count of `known` to the reported one. A smaller count never replaces a larger one. The
// cached tokens stay within the input.
void raise_counts(token_usage& known, const token_usage& reported);

// Adds the reasoning to the output if the provider counts it apart, as xAI does. The reported total shows that. Without
// a total, reasoning that is larger than the output shows it. 0: no total.
void add_uncounted_reasoning(token_usage& counts, std::uint64_t total);

// Lowers the tokens that came from the cache or went into it to the input, which they are a part of.
void limit_cached_to_input(token_usage& counts);

}  // namespace photofinish::proxy
