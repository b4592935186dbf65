#include "proxy/dialects/repairs/usage_counts.hpp"

#include <algorithm>

namespace photofinish::proxy {

void raise_counts(token_usage& known, const token_usage& reported) {
  for (const auto count : all_counts) known.*count = std::max(known.*count, reported.*count);
  if (reported.times.queue) known.times.queue = reported.times.queue;
  if (reported.times.prompt) known.times.prompt = reported.times.prompt;
}

}  // namespace photofinish::proxy
