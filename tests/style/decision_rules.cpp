#include "tests/style/rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace photofinish::style {
namespace {

constexpr std::string_view decisions = "docs/decisions/";
constexpr std::string_view index_page = "docs/decisions/README.md";
constexpr std::size_t max_summary_lines = 15;  // the most lines that a summary may have; headings count, blank lines do not
constexpr std::size_t max_summary_columns = 120;

constexpr std::array<std::string_view, 3> summary_headings{"## Problem", "## Choice", "## Consequences"};
constexpr std::array<std::string_view, 6> other_headings{"## Details", "## Tests",            "## Measurements",
                                                         "## Limits",  "## Attacks on paper", "## Alternatives"};

// True if the path belongs to a decision, for example "docs/decisions/0023-rooms.md".
bool is_decision(std::string_view path) {
  return path.starts_with(decisions) && path.size() > decisions.size() && path[decisions.size()] == '0';
}

// "0023-rooms.md"
std::string_view file_name(const source_file& page) { return std::string_view(page.path).substr(decisions.size()); }

// "23"
std::string number_of(const source_file& page) {
  const std::string_view name = file_name(page).substr(0, 4);
  return std::string(name.substr(std::min(name.find_first_not_of('0'), name.size())));
}

void check_title(const source_file& page, violations& found) {
  const std::string start = "# " + number_of(page) + ". ";
  if (page.lines.empty() || !page.lines[0].starts_with(start) || page.lines[0].size() == start.size())
    found.push_back({page.path, 1, "begins with '" + start + "' and a title"});
}

void check_headings(const source_file& page, violations& found) {
  std::size_t count = 0;
  std::set<std::string_view> used;
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i];
    if (!line.starts_with("## ")) continue;
    const bool is_summary = count < summary_headings.size();
    if (is_summary && line != summary_headings[count])
      found.push_back({page.path, i + 1, "expected '" + std::string(summary_headings[count]) + "' here"});
    if (!is_summary && std::find(other_headings.begin(), other_headings.end(), line) == other_headings.end())
      found.push_back({page.path, i + 1, "'" + line + "' is not a heading of decisions"});
    if (!used.insert(line).second) found.push_back({page.path, i + 1, "'" + line + "' comes twice"});
    ++count;
  }
  if (count < summary_headings.size())
    found.push_back({page.path, page.lines.size(), "lacks '" + std::string(summary_headings[count]) + "'"});
}

// Checks that the summary is short. A reader must be able to understand the decision from the summary alone.
void check_summary_length(const source_file& page, violations& found) {
  std::size_t headings = 0, length = 0;
  for (std::size_t i = 1; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i];
    if (line.starts_with("## ") && ++headings > summary_headings.size()) break;
    if (!line.empty()) ++length;
    if (columns(line) > max_summary_columns)
      found.push_back({page.path, i + 1, "the summary has a line of more than 120 columns"});
    if (!line.empty() && length == max_summary_lines + 1)
      found.push_back({page.path, i + 1, "the summary has more than 15 lines: move details below"});
  }
}

// Checks that the index has a row "| 23 | [Title](0023-rooms.md) | one line |" with the title of the page.
void check_index(const source_file& page, const source_file& index, violations& found) {
  const std::string start = "# " + number_of(page) + ". ";
  const std::string title = page.lines.empty() ? "" : page.lines[0].substr(std::min(start.size(), page.lines[0].size()));
  const std::string row = "| " + number_of(page) + " | [" + title + "](" + std::string(file_name(page)) + ") | ";
  const bool is_listed = std::any_of(index.lines.begin(), index.lines.end(),
                                     [&row](const std::string& line) { return line.starts_with(row); });
  if (!is_listed) found.push_back({page.path, 1, "the index in README.md lacks the row '" + row + "'"});
}

}  // namespace

violations decisions_out_of_form(const source_tree& tree) {
  violations found;
  const auto index = tree.documents.find(std::string(index_page));
  const source_file no_index;
  for (const auto& [path, page] : tree.documents) {
    if (!is_decision(path)) continue;
    check_title(page, found);
    check_headings(page, found);
    check_summary_length(page, found);
    check_index(page, index == tree.documents.end() ? no_index : index->second, found);
  }
  return found;
}

}  // namespace photofinish::style
