// Searches a text for a few words, so that the caller can skip parsing the text if none of them occurs. [pure]
#pragma once

#include <span>
#include <string_view>

namespace photofinish::proxy {

// True if one of the words occurs between two double quotes, as a key or a string of JSON. A word that is written with
// escapes is not found. A word in JSON inside a string is not found either. `json` may contain any bytes. The search
// reads the text once, from quote to quote.
bool holds_quoted(std::string_view json, std::span<const std::string_view> words);

inline bool holds_quoted(std::string_view json, std::string_view word) {
  return holds_quoted(json, std::span<const std::string_view>(&word, 1));
}

}  // namespace photofinish::proxy
