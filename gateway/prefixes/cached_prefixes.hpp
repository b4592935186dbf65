// Predicts which prefixes of a request its provider caches, by the provider's habits and the marks in the body. [pure]
#pragma once

#include "gateway/prefixes/prompt_chain.hpp"
#include "racing/prefixes/prefix_table.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

struct cache_habits {
  std::chrono::minutes life{5};  // time to live after the last use, unless a mark or a retention sets another
  std::uint32_t minimum = 1024;  // number of tokens; shorter prefixes are not cached
  bool needs_marks = false;      // true if the provider caches nothing without marks
};

// True if a target with these habits can have any part of the request cached.
inline bool can_be_warm(const prompt_chain& chain, const cache_habits& habits) {
  return !chain.empty() && (!habits.needs_marks || chain.marks.any());
}

// Returns the prefixes that the target has cached when an attempt has its first token: the root, and the end or the
// last marked place. An entry without a holder is empty.
std::array<racing::prefix_entry, 2> cached_prefixes(const prompt_chain& chain, const cache_habits& habits,
                                                    racing::prefix_holder holder, racing::prefix_caller caller,
                                                    racing::prefix_seconds used);

}  // namespace photofinish::gateway
