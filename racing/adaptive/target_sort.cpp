#include "racing/adaptive/target_sort.hpp"

namespace photofinish::racing {

std::string_view to_string(target_sort sort) { return proxy::word_of(sort); }

}  // namespace photofinish::racing
