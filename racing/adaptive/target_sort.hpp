// What a race's choice of targets goes by. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"

#include <string_view>

namespace photofinish::racing {

enum class target_sort {
  listed,  // as the route lists them
  ttft,    // soonest first token
  tps,     // most tokens per second at the load that is running there
  finish,  // soonest end of the answer
  cost,    // cheapest
};

constexpr auto words_of(target_sort) {
  using enum target_sort;
  return proxy::enum_words<target_sort, 5>{
      {{listed, "listed"}, {ttft, "ttft"}, {tps, "tps"}, {finish, "finish"}, {cost, "cost"}}};
}

constexpr std::string_view to_string(target_sort sort) { return proxy::word_of(sort); }

}  // namespace photofinish::racing
