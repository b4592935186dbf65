// The speed of an answer by each of two counts, or the reason why it is unknown. [pure]
// tok/s = (N - tokens in the first chunk)
// (last token - first token): docs/metrics.md explains why.
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
inline constexpr double max_stalled_share = 0.05;  // the longest client stall, as a share of the time

struct measured_speed {
  metrics::by<metrics::token_source, std::optional<metrics::decode_sample>> samples{};
  std::optional<metrics::unmeasurable_reason> unmeasurable{};  // why our own count gives no speed
};

// `counted`: empty if our tokenizer could not count it. `client_stalled`: how long the client kept us from reading,
// between the first token and the last. The result is empty for an answer without a token.
measured_speed measure_speed(const proxy::stream_summary& summary, const std::optional<counted_tokens>& counted,
                             std::chrono::nanoseconds client_stalled);

// The number of streamed tokens: the provider's count, without reasoning that it did not send.
std::uint64_t streamed_tokens(const proxy::token_usage& usage, const proxy::stream_summary& summary);

}  // namespace photofinish::gateway
