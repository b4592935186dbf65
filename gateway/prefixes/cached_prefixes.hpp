// Which prefixes of a request its provider keeps, by the provider's habits and the marks of the body. [pure]
#pragma once

#include "gateway/prefixes/prompt_chain.hpp"
#include "racing/prefixes/prefix_table.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

struct cache_habits {
  std::chrono::minutes life{5};  // of a prefix after its last use, if no mark and no retention says otherwise
  std::uint32_t minimum = 1024;  // tokens: shorter prefixes are not kept
  bool needs_marks = false;      // without marks nothing is kept
};

// Whether a target with these habits can have anything of the request.
inline bool can_be_warm(const prompt_chain& chain, const cache_habits& habits) {
  return !chain.empty() && (!habits.needs_marks || chain.marks.any());
}

// What the target has when an attempt has its first token: the root, and the end or the last marked place. An entry
// without a holder is none.
std::array<racing::prefix_entry, 2> cached_prefixes(const prompt_chain& chain, const cache_habits& habits,
                                                    racing::prefix_holder holder, racing::prefix_caller caller,
                                                    racing::prefix_seconds used);

}  // namespace photofinish::gateway
