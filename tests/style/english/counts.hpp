// Counts hard phrases per room (folder), and compares the counts with a table of the permitted counts.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace photofinish::style {

// Counts the matches by room and by name of the phrase. Counts of 0 are left out. A room is a source folder; the name of the top folder is
// ".".
using english_counts = std::map<std::string, std::map<std::string, std::size_t>>;

english_counts count_english(const source_tree& tree);

// Writes the counts as a table with a line for each room: "gateway/cache: behind 2, start 1". Lines that begin with # are comments.
std::string to_table(const english_counts& counts);
english_counts from_table(std::string_view table);

// Reports the matches of a phrase if its count grew in a room (source folder). If a count fell, reports the room and the new line for the
// table.
violations changed_counts(const source_tree& tree, const english_counts& listed);

}  // namespace photofinish::style
