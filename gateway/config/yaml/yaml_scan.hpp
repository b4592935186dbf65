// A second look at a YAML text that a parser has refused: where was the bracket or the quote opened, which line is
// indented wrongly? The parser says only where it could not go on. [pure]
// It knows less than YAML, and only explains: what it takes for a fault is one only because the parser found one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct likely_cause {
  std::size_t offset = 0;  // of the character in the text
  std::string message;
};

// `noticed`: the offset at which the parser gave up. `noticed_line`: its line from 1, for the message.
// None: nothing in the text before it looks wrong.
std::optional<likely_cause> find_cause(std::string_view text, std::size_t noticed, int noticed_line);

}  // namespace photofinish::gateway
