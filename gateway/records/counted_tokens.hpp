// The tokens of one streamed answer, counted by our own tokenizer, o200k_base. [pure]
#pragma once

#include <cstdint>

namespace photofinish::gateway {

struct counted_tokens {
  std::uint64_t all = 0;    // of all streamed text: also reasoning, names and arguments of calls
  std::uint64_t first = 0;  // of the text that was read together with the first token
};

}  // namespace photofinish::gateway
