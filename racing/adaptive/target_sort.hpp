// The quantity by which a race orders its targets. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"

#include <string_view>

namespace photofinish::racing {

enum class target_sort {
  listed,  // the order of the targets in the route's configuration
  ttft,    // the earliest first token first
  tps,     // the most tokens per second first, with the current number of running attempts
  finish,  // the earliest end of the answer first
  cost,    // lowest cost
};

constexpr auto words_of(target_sort) {
  using enum target_sort;
  return proxy::enum_words<target_sort, 5>{
      {{listed, "listed"}, {ttft, "ttft"}, {tps, "tps"}, {finish, "finish"}, {cost, "cost"}}};
}

constexpr std::string_view to_string(target_sort sort) { return proxy::word_of(sort); }

}  // namespace photofinish::racing
