// Scans a YAML text that a parser has rejected, to find where the bracket or the quote was opened, or which line is
// wrongly indented. The parser reports only where it stopped. [pure]
// It knows only a part of YAML and only explains: its findings are problems only because the parser found one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct likely_cause {
  std::size_t offset = 0;  // offset of the character in the text
  std::string message;
};

// `noticed`: the offset at which the parser stopped. `noticed_line`: its line from 1, for the message. Empty: nothing
// in the text before it looks wrong.
std::optional<likely_cause> find_cause(std::string_view text, std::size_t noticed, int noticed_line);

}  // namespace photofinish::gateway
