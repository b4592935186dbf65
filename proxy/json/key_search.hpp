// Searches a text for a few words, so that the caller can skip parsing the text if none of them occurs. [pure]
#pragma once

#include <span>
#include <string_view>

namespace photofinish::proxy {

// True if one of the words occurs directly between two double quotes, as a key or a string of JSON. Does not find words
// that are written with escapes. Also does not find words in a string whose content is itself JSON. `json` may contain
// any bytes. The search reads the text once, from quote to quote.
bool holds_quoted(std::string_view json, std::span<const std::string_view> words);

inline bool holds_quoted(std::string_view json, std::string_view word) {
  return holds_quoted(json, std::span<const std::string_view>(&word, 1));
}

}  // namespace photofinish::proxy
