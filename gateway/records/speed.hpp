// Computes the speed of an answer by two token counts: the provider's and the gateway's own. If a speed is unknown,
// gives the reason. [pure] The speed is (N - tokens in the first chunk) / (time of the last token - time of the first
// token). docs/metrics.md explains why.
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
// The longest time that the client may stall for a valid speed, as a share of the answer's time.
inline constexpr double max_stalled_share = 0.05;

struct measured_speed {
  metrics::by<metrics::token_source, std::optional<metrics::decode_sample>> samples{};
  // The reason why no speed can be computed from the gateway's own count.
  std::optional<metrics::unmeasurable_reason> unmeasurable{};
};

// Returns the speeds of an answer, or an empty result for an answer without a token. `counted` is empty if the
// gateway's tokenizer could not count the answer. `client_stalled` is the time between the first and the last token in
// which a slow client kept the gateway from reading.
measured_speed measure_speed(const proxy::stream_summary& summary, const std::optional<counted_tokens>& counted,
                             std::chrono::nanoseconds client_stalled);

// Returns the number of streamed tokens: the provider's count without the reasoning that it did not send.
std::uint64_t streamed_tokens(const proxy::token_usage& usage, const proxy::stream_summary& summary);

}  // namespace photofinish::gateway
