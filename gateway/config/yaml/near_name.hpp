// Finds the name that a wrong name was probably meant to be. [pure]
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Damerau-Levenshtein distance with adjacent swaps, in bytes, ASCII case ignored.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The candidate nearest to `word`: at most a third of its letters differ, or one contains the whole other.
// Words above 128 bytes are never near: clients also send them, and the distance takes the product of the lengths.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// Returns at most `limit` near candidates, the nearest first.
std::vector<std::string> nearest_few(std::string_view word, const std::vector<std::string>& candidates,
                                     std::size_t limit = 3);

}  // namespace photofinish::gateway
