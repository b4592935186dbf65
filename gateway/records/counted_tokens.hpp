// What our own tokenizer, o200k_base, counted of one streamed answer. [pure]
#pragma once

#include <cstdint>

namespace photofinish::gateway {

struct counted_tokens {
  std::uint64_t all = 0;    // of everything streamed: reasoning, names and arguments of calls too
  std::uint64_t first = 0;  // of what was read together with the first token
};

}  // namespace photofinish::gateway
