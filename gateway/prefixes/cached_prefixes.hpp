// Predicts which prefixes of a request its provider has in its cache. Uses the provider's usual caching rules, and the
// cache marks in the body. [pure]
#pragma once

#include "gateway/prefixes/prompt_chain.hpp"
#include "racing/prefixes/prefix_table.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

struct cache_habits {
  // The time for which a prefix stays cached after its last use, unless a cache mark or the request's retention sets
  // another time.
  std::chrono::minutes life{5};
  std::uint32_t minimum = 1024;  // the minimum number of tokens; shorter prefixes are not cached
  bool needs_marks = false;      // true if the provider caches only prefixes that end at a cache mark
};

// True if a target with these caching rules may have a part of the request in its cache.
inline bool can_be_warm(const prompt_chain& chain, const cache_habits& habits) {
  return !chain.empty() && (!habits.needs_marks || chain.marks.any());
}

// Returns the prefixes that the target will have in its cache after an attempt has received its first token. The first
// prefix is the root, which is the part of the prompt before all messages. The second prefix ends at the end of the
// request or at the last cache mark. If a prefix is not cached, its entry is empty.
std::array<racing::prefix_entry, 2> cached_prefixes(const prompt_chain& chain, const cache_habits& habits,
                                                    racing::prefix_holder holder, racing::prefix_caller caller,
                                                    racing::prefix_seconds used);

}  // namespace photofinish::gateway
