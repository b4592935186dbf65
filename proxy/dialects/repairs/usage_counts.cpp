#include "proxy/dialects/repairs/usage_counts.hpp"

#include <algorithm>

namespace photofinish::proxy {

void raise_counts(token_usage& known, const token_usage& reported) {
  for (const auto count : all_counts) known.*count = std::max(known.*count, reported.*count);
  limit_cached_to_input(known);
  if (reported.times.queue) known.times.queue = reported.times.queue;
  if (reported.times.prompt) known.times.prompt = reported.times.prompt;
  if (reported.tier) known.tier = reported.tier;
}

void add_uncounted_reasoning(token_usage& counts, std::uint64_t total) {
  const std::uint64_t with_reasoning = counts.output_tokens + counts.reasoning_tokens;
  const bool is_apart = total != 0 ? total == counts.input_tokens + with_reasoning
                                   : counts.reasoning_tokens > counts.output_tokens;
  if (is_apart) counts.output_tokens = with_reasoning;
}

void limit_cached_to_input(token_usage& counts) {
  counts.cached_input_tokens = std::min(counts.cached_input_tokens, counts.input_tokens);
  counts.written_input_tokens = std::min(counts.written_input_tokens, counts.input_tokens - counts.cached_input_tokens);
  counts.written_for_hour_tokens = std::min(counts.written_for_hour_tokens, counts.written_input_tokens);
}

}  // namespace photofinish::proxy
