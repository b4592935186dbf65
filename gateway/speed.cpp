#include "gateway/speed.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::gateway {

using metrics::unmeasurable_reason;

std::uint64_t streamed_tokens(const proxy::stream_summary& summary) {
  if (!summary.usage) return 0;
  const std::uint64_t hidden = summary.reasoning_bytes == 0 ? summary.usage->reasoning_tokens : 0;
  return summary.usage->output_tokens - std::min(hidden, summary.usage->output_tokens);
}

measured_speed measure_speed(const proxy::stream_summary& summary, std::chrono::nanoseconds client_stalled) {
  if (!summary.first_token_at || !summary.last_token_at) return std::monostate{};
  if (!summary.usage) return unmeasurable_reason::no_usage;
  const std::uint64_t tokens = streamed_tokens(summary);
  if (tokens < min_measured_tokens) return unmeasurable_reason::too_few_tokens;
  if (summary.first_text_bytes >= summary.text_bytes) return unmeasurable_reason::one_burst;
  const std::chrono::nanoseconds took = *summary.last_token_at - *summary.first_token_at;
  if (took < min_measured_time) return unmeasurable_reason::too_short;
  if (metrics::seconds(client_stalled) > max_stalled_share * metrics::seconds(took))
    return unmeasurable_reason::client_slow;
  // The provider tells no tokens per chunk: the first chunk's share of them is its share of the text.
  const double first_share = static_cast<double>(summary.first_text_bytes) / static_cast<double>(summary.text_bytes);
  const auto after_first = static_cast<std::uint64_t>(std::llround(static_cast<double>(tokens) * (1 - first_share)));
  if (after_first == 0) return unmeasurable_reason::one_burst;
  return metrics::decode_sample{after_first, took};
}

}  // namespace photofinish::gateway
