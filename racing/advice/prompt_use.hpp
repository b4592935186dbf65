// Counts requests, and adds up their costs, in groups that show how well prompt caches worked. The route advice uses
// these numbers. All types are plain values. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace photofinish::racing {

// The reason why the winner's prompt cache was used for the prompt, or was not used.
enum class prompt_cause {
  found,    // the winner had cached most of the prompt
  first,    // no target of the route has ever cached a prefix of the prompt
  changed,  // no target has cached a prefix, although the conversation has earlier answers: an earlier message was
            // changed
  expired,  // the prompt was cached, but its time to live had ended
  moved,    // the prompt was cached by another target, not by the winner
  missed,   // the winner was expected to have cached the prompt, but the provider did not find it in the cache
};
constexpr auto words_of(prompt_cause) {
  using enum prompt_cause;
  return proxy::enum_words<prompt_cause, 6>{{{found, "found"}, {first, "first"}, {changed, "changed"},
                                             {expired, "expired"}, {moved, "moved"}, {missed, "missed"}}};
}
constexpr std::string_view to_string(prompt_cause cause) { return proxy::word_of(cause); }
inline constexpr std::size_t prompt_causes = 6;

struct prompt_sum {
  std::uint32_t requests = 0, continued = 0;  // `continued`: requests whose body contains earlier answers of the model
  std::uint64_t nano_usd = 0;                 // winners' cost in billionths of a dollar; 0 if no price is known

  bool operator==(const prompt_sum&) const = default;
};

struct prompt_use {
  std::array<prompt_sum, prompt_causes> by_cause{};

  prompt_sum& operator[](prompt_cause cause) { return by_cause[static_cast<std::size_t>(cause)]; }
  const prompt_sum& operator[](prompt_cause cause) const { return by_cause[static_cast<std::size_t>(cause)]; }
  bool operator==(const prompt_use&) const = default;
};

// Adds the counts and costs of `other` to `into`. If a sum is too large for its type, it is set to the largest possible
// value.
inline void add(prompt_sum& into, const prompt_sum& other) {
  const auto sum = [](auto one, auto more) {
    return one > std::numeric_limits<decltype(one)>::max() - more ? std::numeric_limits<decltype(one)>::max()
                                                                   : static_cast<decltype(one)>(one + more);
  };
  into.requests = sum(into.requests, other.requests);
  into.continued = std::min(into.requests, sum(into.continued, other.continued));
  into.nano_usd = sum(into.nano_usd, other.nano_usd);
}

inline void add(prompt_use& into, const prompt_use& other) {
  for (std::size_t cause = 0; cause < prompt_causes; ++cause) add(into.by_cause[cause], other.by_cause[cause]);
}

}  // namespace photofinish::racing
