// Counts of patterns per room, and the table of the counts that a room may have.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace photofinish::style {

// Counts by room and by name of a pattern. Counts of 0 are left out. A room is a folder; the top folder is ".".
using english_counts = std::map<std::string, std::map<std::string, std::size_t>>;

english_counts count_english(const source_tree& tree);

// The table has a line for each room: "gateway/cache: behind 2, start 1". Lines that begin with # are comments.
std::string to_table(const english_counts& counts);
english_counts from_table(std::string_view table);

// Reports each match of a pattern that grew in its room, and the new line of each room with a pattern that shrank.
violations changed_counts(const source_tree& tree, const english_counts& listed);

}  // namespace photofinish::style
