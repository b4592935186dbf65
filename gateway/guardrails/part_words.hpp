// What the head of a form's part says in the caller's own words: its file's name, and lines that are not usual. [pure]
#pragma once

#include "gateway/guardrails/text_walk.hpp"

#include <string_view>

namespace photofinish::gateway {

// `head` is the part up to its content, with its delimiter: it was read before, and is sound. Adds the words, and
// returns whether the part is a file.
bool note_part_head(std::string_view head, text_walk& words);

}  // namespace photofinish::gateway
