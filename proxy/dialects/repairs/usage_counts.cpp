#include "proxy/dialects/repairs/usage_counts.hpp"

#include <algorithm>

namespace photofinish::proxy {

void raise_counts(token_usage& known, const token_usage& reported) {
  for (const auto count : {&token_usage::input_tokens, &token_usage::output_tokens, &token_usage::reasoning_tokens,
                           &token_usage::cached_input_tokens, &token_usage::written_input_tokens,
                           &token_usage::written_for_hour_tokens})
    known.*count = std::max(known.*count, reported.*count);
  if (reported.times.queue) known.times.queue = reported.times.queue;
  if (reported.times.prompt) known.times.prompt = reported.times.prompt;
}

}  // namespace photofinish::proxy
