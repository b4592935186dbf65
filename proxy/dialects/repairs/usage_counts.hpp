// Counts that a provider reports more than once for one answer. [pure]
// They are cumulative, but some servers end a stream with zeros, or with a part of the counts.
#pragma once

#include "proxy/dialects/stream_event.hpp"

namespace photofinish::proxy {

// Raises each count of `known` to the reported one. A smaller count never replaces a larger one.
void raise_counts(token_usage& known, const token_usage& reported);

}  // namespace photofinish::proxy
