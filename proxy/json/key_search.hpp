// Searches a text for a few words, to decide whether parsing the text is worthwhile. [pure]
#pragma once

#include <span>
#include <string_view>

namespace photofinish::proxy {

// True if one of the words occurs between two double quotes, as a key or a string in JSON. A word that is written with
// escapes is not found, nor is a word inside a string that itself contains JSON. `json` may be any bytes. The search
// makes one pass, from quote to quote.
bool holds_quoted(std::string_view json, std::span<const std::string_view> words);

inline bool holds_quoted(std::string_view json, std::string_view word) {
  return holds_quoted(json, std::span<const std::string_view>(&word, 1));
}

}  // namespace photofinish::proxy
