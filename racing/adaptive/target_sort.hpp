// The quantity by which a race chooses its targets. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"

#include <string_view>

namespace photofinish::racing {

enum class target_sort {
  listed,  // the order in which the route lists its targets
  ttft,    // the target with the earliest first token first
  tps,     // the target with the most tokens per second at the current load first
  finish,  // the target with the earliest end of its answer first
  cost,    // lowest cost
};

constexpr auto words_of(target_sort) {
  using enum target_sort;
  return proxy::enum_words<target_sort, 5>{
      {{listed, "listed"}, {ttft, "ttft"}, {tps, "tps"}, {finish, "finish"}, {cost, "cost"}}};
}

constexpr std::string_view to_string(target_sort sort) { return proxy::word_of(sort); }

}  // namespace photofinish::racing
