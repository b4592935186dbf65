#include "gateway/bench/report/text_rows.hpp"

#include "gateway/bench/number_text.hpp"

#include <algorithm>
#include <cstddef>

namespace photofinish::gateway::bench {

std::string aligned(const text_rows& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const auto& row : table)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      text += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string shown(const std::optional<double>& value) { return value ? number_text(*value) : "-"; }

}  // namespace photofinish::gateway::bench
