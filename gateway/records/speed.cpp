#include "gateway/records/speed.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace photofinish::gateway {

using metrics::token_source;
using metrics::unmeasurable_reason;

namespace {

using speed_or_reason = std::variant<metrics::decode_sample, unmeasurable_reason>;

speed_or_reason judge(std::uint64_t tokens, std::uint64_t after_first, std::chrono::nanoseconds took,
                      std::chrono::nanoseconds client_stalled) {
  if (tokens < min_measured_tokens) return unmeasurable_reason::too_few_tokens;
  if (after_first == 0) return unmeasurable_reason::one_burst;
  if (took < min_measured_time) return unmeasurable_reason::too_short;
  if (metrics::seconds(client_stalled) > max_stalled_share * metrics::seconds(took))
    return unmeasurable_reason::client_slow;
  return metrics::decode_sample{after_first, took};
}

// Returns the share of an answer's tokens that arrived in its first chunk. Providers do not report tokens per chunk.
// Therefore this function uses the gateway's own token count, or the length of the text if there is no count.
double first_share(const proxy::stream_summary& summary, const std::optional<counted_tokens>& counted) {
  const auto part = static_cast<double>(counted ? counted->first : summary.first_text_bytes);
  const auto whole = static_cast<double>(counted ? counted->all : summary.text_bytes);
  return whole > 0 ? std::min(part / whole, 1.0) : 1.0;
}

}  // namespace

std::uint64_t streamed_tokens(const proxy::token_usage& usage, const proxy::stream_summary& summary) {
  const std::uint64_t hidden = summary.reasoning_bytes == 0 ? usage.reasoning_tokens : 0;
  return usage.output_tokens - std::min(hidden, usage.output_tokens);
}

measured_speed measure_speed(const proxy::stream_summary& summary, const std::optional<counted_tokens>& counted,
                             std::chrono::nanoseconds client_stalled) {
  measured_speed speed;
  if (!summary.first_token_at || !summary.last_token_at) return speed;
  const std::chrono::nanoseconds took = *summary.last_token_at - *summary.first_token_at;
  const auto keep = [&](token_source source, std::uint64_t tokens, std::uint64_t after_first) {
    const speed_or_reason judged = judge(tokens, after_first, took, client_stalled);
    if (const auto* sample = std::get_if<metrics::decode_sample>(&judged)) speed.samples[source] = *sample;
    else if (source == token_source::tokenizer) speed.unmeasurable = std::get<unmeasurable_reason>(judged);
  };
  if (summary.usage) {
    const std::uint64_t tokens = streamed_tokens(*summary.usage, summary);
    const double rest = static_cast<double>(tokens) * (1 - first_share(summary, counted));
    keep(token_source::usage, tokens, static_cast<std::uint64_t>(std::llround(rest)));
  }
  if (!counted) speed.unmeasurable = unmeasurable_reason::not_counted;
  else keep(token_source::tokenizer, counted->all, counted->all - std::min(counted->first, counted->all));
  return speed;
}

}  // namespace photofinish::gateway
