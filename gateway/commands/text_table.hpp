// Prints columns of text, each as wide as its longest cell. [pure]
#pragma once

#include "proxy/failures/sanitized_text.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Prints a table. Every row must have as many cells as the first row. The last column is not padded. Control characters
// in cells are removed.
inline void print_table(std::vector<std::vector<std::string>> rows, std::ostream& out) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = proxy::shown_text(cell);
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      out << row[i] << std::string(widths[i] - row[i].size() + 2, ' ');
    out << row.back() << '\n';
  }
}

}  // namespace photofinish::gateway
