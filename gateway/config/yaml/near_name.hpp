// Finds the name that a user probably meant when writing a wrong name. [pure]
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Returns the Damerau-Levenshtein distance with adjacent swaps, in bytes. It ignores ASCII case.
std::size_t edit_distance(std::string_view left, std::string_view right);

// Returns the candidate that is most similar to `word`. At most a third of the letters may differ, or one of the words
// must contain the other word. Words above 128 bytes are not compared and are never similar: a word may come from a
// client, and the time of a comparison grows with the product of both lengths.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// Returns at most `limit` candidates that are similar to the word, beginning with the most similar candidate.
std::vector<std::string> nearest_few(std::string_view word, const std::vector<std::string>& candidates,
                                     std::size_t limit = 3);

}  // namespace photofinish::gateway
