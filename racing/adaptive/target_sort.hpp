// What a race's choice of targets goes by. [pure]
#pragma once

#include <optional>
#include <string_view>

namespace photofinish::racing {

enum class target_sort {
  listed,  // as the route lists them
  ttft,    // soonest first token
  tps,     // most tokens per second at the load that is running there
  finish,  // soonest end of the answer
  cost,    // cheapest
};

std::string_view to_string(target_sort sort);
std::optional<target_sort> parse_target_sort(std::string_view word);

}  // namespace photofinish::racing
