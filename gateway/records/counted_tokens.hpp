// Holds the token counts of one streamed answer, counted by the gateway's own tokenizer, o200k_base. [pure]
#pragma once

#include <cstdint>

namespace photofinish::gateway {

struct counted_tokens {
  // The number of tokens in all streamed text. This includes reasoning, and the names and arguments of tool calls.
  std::uint64_t all = 0;
  std::uint64_t first = 0;  // the number of tokens in the text that arrived together with the first token
};

}  // namespace photofinish::gateway
