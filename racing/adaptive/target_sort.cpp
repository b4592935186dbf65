#include "racing/adaptive/target_sort.hpp"

namespace photofinish::racing {

std::string_view to_string(target_sort sort) {
  switch (sort) {
    case target_sort::listed: return "listed";
    case target_sort::ttft: return "ttft";
    case target_sort::tps: return "tps";
    case target_sort::finish: return "finish";
    case target_sort::cost: return "cost";
  }
  return "listed";
}

std::optional<target_sort> parse_target_sort(std::string_view word) {
  for (const target_sort sort :
       {target_sort::listed, target_sort::ttft, target_sort::tps, target_sort::finish, target_sort::cost})
    if (word == to_string(sort)) return sort;
  return std::nullopt;
}

}  // namespace photofinish::racing
