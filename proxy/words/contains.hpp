// Checks whether a list contains a value. [pure]
#pragma once

#include <algorithm>
#include <iterator>

namespace photofinish::proxy {

template <class List, class Value>
constexpr bool contains(const List& list, const Value& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

}  // namespace photofinish::proxy
