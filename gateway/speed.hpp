// How fast an answer came, or why that cannot be said. [pure]
// tok/s = (N - tokens in the first chunk) / (last token - first token): docs/metrics.md says why.
#pragma once

#include "metrics/observations.hpp"
#include "proxy/stream_event.hpp"

#include <chrono>
#include <cstdint>
#include <variant>

namespace photofinish::gateway {

inline constexpr std::uint64_t min_measured_tokens = 16;
inline constexpr std::chrono::milliseconds min_measured_time{50};
inline constexpr double max_stalled_share = 0.05;  // of the time, by the client's slowness

using measured_speed = std::variant<std::monostate, metrics::decode_sample, metrics::unmeasurable_reason>;

// `client_stalled`: how long the client kept us from reading, between the first token and the last.
measured_speed measure_speed(const proxy::stream_summary& summary, std::chrono::nanoseconds client_stalled);

// Tokens that were streamed: what the provider counted, without reasoning that it kept to itself.
std::uint64_t streamed_tokens(const proxy::stream_summary& summary);

}  // namespace photofinish::gateway
