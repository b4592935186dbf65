// Scans a YAML text that a parser has rejected. Finds the bracket or quote that was not closed, or the line that is
// wrongly indented. The parser reports only the position where it stopped. [pure] The scanner knows only a part of
// YAML. Its findings are problems only because the parser also found a problem.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct likely_cause {
  std::size_t offset = 0;  // the offset of the character in the text, in bytes
  std::string message;
};

// `noticed` is the offset at which the parser stopped. `noticed_line` is the number of its line, counted from 1, for
// the message. Returns nothing if nothing before that offset looks wrong.
std::optional<likely_cause> find_cause(std::string_view text, std::size_t noticed, int noticed_line);

}  // namespace photofinish::gateway
