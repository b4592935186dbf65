// Predicts which prefixes of a request its provider caches, by the provider's usual rules and the cache marks in the
// body. [pure]
#pragma once

#include "gateway/prefixes/prompt_chain.hpp"
#include "racing/prefixes/prefix_table.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

struct cache_habits {
  // Time to live after the last use, unless a mark or the request's retention sets another.
  std::chrono::minutes life{5};
  std::uint32_t minimum = 1024;  // least number of tokens; shorter prefixes are not cached
  bool needs_marks = false;      // true if the provider caches nothing without cache marks
};

// True if a target with these caching rules can have any part of the request in its cache.
inline bool can_be_warm(const prompt_chain& chain, const cache_habits& habits) {
  return !chain.empty() && (!habits.needs_marks || chain.marks.any());
}

// Returns the prefixes that the target has cached when an attempt has its first token. The first prefix is the root;
// the second ends at the end of the request or at the last cache mark. An entry without a holder is empty.
std::array<racing::prefix_entry, 2> cached_prefixes(const prompt_chain& chain, const cache_habits& habits,
                                                    racing::prefix_holder holder, racing::prefix_caller caller,
                                                    racing::prefix_seconds used);

}  // namespace photofinish::gateway
