// Finds words and phrases that readers often have to read twice.
#pragma once

#include "tests/style/english/prose.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::style {

struct pattern_match {
  std::string_view pattern;  // the hard phrase, or "start" if a sentence begins with of, that, with, whose, what or who
  std::string excerpt;
};

// Finds each match of each hard phrase. Ignores text in backticks, the targets of links, and the marks that declare a header pure (free of
// I/O).
std::vector<pattern_match> find_patterns(const passage& prose);

}  // namespace photofinish::style
