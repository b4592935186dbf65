// Formats a table as text. Its first column is left-aligned, and columns of numbers are right-aligned. [pure]
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

using text_rows = std::vector<std::vector<std::string>>;

// Aligns the columns of a table. Each row must have as many cells as the first row.
std::string aligned(const text_rows& table);
std::string shown(const std::optional<double>& value);  // formats a number, or returns "-" if there is no value

}  // namespace photofinish::gateway::bench
