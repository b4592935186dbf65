// Finds the name that the writer of a wrong name probably meant. [pure]
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Returns the Damerau-Levenshtein distance with adjacent swaps, in bytes. It ignores ASCII case.
std::size_t edit_distance(std::string_view left, std::string_view right);

// Returns the candidate that is nearest to `word`. At most a third of the letters may differ, or one of the words must
// contain the other. Words above 128 bytes are never near. Clients also send words, and the time for a distance grows
// with the product of the lengths.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// Returns at most `limit` candidates that are near, the nearest first.
std::vector<std::string> nearest_few(std::string_view word, const std::vector<std::string>& candidates,
                                     std::size_t limit = 3);

}  // namespace photofinish::gateway
