// Computes the speed of an answer twice: from the provider's token count and from the gateway's own count. If a speed
// is unknown, gives the reason. The speed is (N - tokens in the first chunk) / (time of the last token - time of the
// first token). docs/metrics.md explains the formula. [pure]
#pragma once

#include "gateway/records/counted_tokens.hpp"
#include "metrics/observations.hpp"
#include "proxy/dialects/stream_event.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace photofinish::gateway {

inline constexpr std::uint64_t min_measured_tokens = 16;
inline constexpr std::chrono::milliseconds min_measured_time{50};
// The longest time for which the client may stop reading, as a share of the answer's duration. If the client stops
// reading for longer, no speed is measured.
inline constexpr double max_stalled_share = 0.05;

struct measured_speed {
  metrics::by<metrics::token_source, std::optional<metrics::decode_sample>> samples{};
  // The reason why no speed can be computed from the gateway's own token count.
  std::optional<metrics::unmeasurable_reason> unmeasurable{};
};

// Returns the speeds of an answer. Returns an empty result if the answer has no token. `counted` is empty if the
// gateway could not count the answer's tokens. `client_stalled` is how long a slow client kept the gateway from
// reading, between the first and the last token.
measured_speed measure_speed(const proxy::stream_summary& summary, const std::optional<counted_tokens>& counted,
                             std::chrono::nanoseconds client_stalled);

// Returns the number of streamed tokens, which is the provider's count minus the reasoning tokens that were not sent.
std::uint64_t streamed_tokens(const proxy::token_usage& usage, const proxy::stream_summary& summary);

}  // namespace photofinish::gateway
