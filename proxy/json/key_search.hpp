// Whether a text names one of a few words, for looks that decide whether a walk is worth it. [pure]
#pragma once

#include <span>
#include <string_view>

namespace photofinish::proxy {

// True where a word stands between two double quotes, as a key or a string of its own does in JSON; one that is
// written with escapes is not found, nor is what stands in a string that is JSON itself. `json` may be any bytes. One
// pass, from quote to quote.
bool holds_quoted(std::string_view json, std::span<const std::string_view> words);

inline bool holds_quoted(std::string_view json, std::string_view word) {
  return holds_quoted(json, std::span<const std::string_view>(&word, 1));
}

}  // namespace photofinish::proxy
