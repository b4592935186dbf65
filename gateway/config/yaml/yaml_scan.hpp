// Scans a YAML text that a parser has rejected, because the parser only reports where it stopped. Finds the bracket or
// quote that was not closed, or the line with a wrong indentation. [pure] The scanner knows only a part of YAML.
// Therefore its findings count as problems only after the parser has also found a problem.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct likely_cause {
  std::size_t offset = 0;  // the offset of the character that probably caused the error, in bytes
  std::string message;
};

// `noticed` is the offset at which the parser stopped. `noticed_line` is the line of this offset, counted from 1, and
// appears in the message. Returns nothing if the scanner finds nothing wrong before this offset.
std::optional<likely_cause> find_cause(std::string_view text, std::size_t noticed, int noticed_line);

}  // namespace photofinish::gateway
