// Compares the pages of docs/metrics with the table in names.hpp. Every metric must be documented once, with the properties from the table.
#include "metrics/names.hpp"

#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::metrics {
namespace {

using row = std::vector<std::string>;  // the cells of one row of a documentation table

std::vector<std::string> lines_of_documents() {
  std::istringstream text(tests::text_of_pages("metrics"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string without_blanks(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

row row_of(std::string_view line) {
  row found;
  for (std::size_t bar = line.find('|'); bar + 1 < line.size();) {
    const std::size_t next = std::min(line.find('|', bar + 1), line.size());
    found.push_back(without_blanks(line.substr(bar + 1, next - bar - 1)));
    bar = next;
  }
  return found;
}

// Returns the table rows with this number of columns whose first cell begins with a name in backticks.
std::vector<row> rows_with(std::size_t columns) {
  std::vector<row> rows;
  for (const std::string& line : lines_of_documents())
    if (line.starts_with("| `"))
      if (row found = row_of(line); found.size() == columns) rows.push_back(std::move(found));
  return rows;
}

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

// Returns the names of all metrics in a text, with suffixes such as _bucket. Skips names with colons, because recording rules produce these
// series, and tests/monitoring/files_test.py checks them.
std::vector<std::string> names_in(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_:";
  std::vector<std::string> found;
  while (true) {
    text.remove_prefix(std::min(text.find_first_of(letters), text.size()));
    if (text.empty()) return found;
    const std::string_view word = text.substr(0, text.find_first_not_of(letters));
    for (const std::string_view family : {"photofinish_", "gen_ai_", "process_"})
      if (word.starts_with(family)) found.emplace_back(word);
    text.remove_prefix(word.size());
  }
}

// Returns the metric to which a series name in a query belongs.
std::string_view metric_of(std::string_view series) {
  for (const std::string_view suffix : {"_bucket", "_sum", "_count"})
    if (series.ends_with(suffix)) return series.substr(0, series.size() - suffix.size());
  return series;
}

const metric* find(std::string_view name) {
  const auto found = std::ranges::find(names::all, name, [](const metric* which) { return which->name; });
  return found == names::all.end() ? nullptr : *found;
}

TEST(Documentation, DescribesEveryMetricOnce) {
  std::multiset<std::string> documented;
  for (const row& cells : rows_with(6)) documented.merge(std::multiset{names_in(cells[0]).at(0)});
  for (const metric* which : names::all)
    EXPECT_EQ(documented.count(std::string(which->name)), 1u) << which->name;
  EXPECT_EQ(documented.size(), names::all.size());
}

TEST(Documentation, TellsKindUnitAndLabelsAsTheyAre) {
  for (const row& cells : rows_with(6)) {
    const metric* which = find(names_in(cells[0]).at(0));
    ASSERT_TRUE(which) << cells[0];
    EXPECT_EQ(cells[1], to_string(which->kind)) << cells[0];
    EXPECT_EQ(cells[2], which->unit) << cells[0];
    EXPECT_EQ(cells[3], joined(which->labels)) << cells[0];
    EXPECT_FALSE(cells[4].empty()) << cells[0];
    // This cell lists the alerts that use the metric. tests/monitoring/files_test.py compares the cell with the alert rules.
    EXPECT_FALSE(cells[5].empty()) << cells[0];
  }
}

TEST(Documentation, ListsTheEdgesOfEveryHistogram) {
  std::map<std::string, std::vector<double>> documented;
  for (const row& cells : rows_with(2)) {
    std::istringstream numbers(cells[1]);
    const std::vector<double> edges{std::istream_iterator<double>(numbers), {}};
    for (const std::string& name : names_in(cells[0]))
      EXPECT_TRUE(documented.emplace(name, edges).second) << name;
  }
  std::size_t histograms = 0;
  for (const metric* which : names::all) {
    if (which->kind != metric_kind::histogram) continue;
    ++histograms;
    const std::vector<double> edges(which->buckets.begin(), which->buckets.end());
    EXPECT_EQ(documented[std::string(which->name)], edges) << which->name;
  }
  EXPECT_EQ(documented.size(), histograms);
}

TEST(Documentation, QueriesAskForSeriesThatExist) {
  std::size_t queries = 0;
  bool is_query = false;
  for (const std::string& line : lines_of_documents()) {
    if (line.starts_with("```")) {
      is_query = line == "```promql";
      continue;
    }
    if (!is_query) continue;
    ++queries;
    for (const std::string& name : names_in(line)) {
      const metric* which = find(metric_of(name));
      ASSERT_TRUE(which) << name;
      EXPECT_EQ(which->name != name, which->kind == metric_kind::histogram) << name;
    }
  }
  EXPECT_GE(queries, 10u);
}

}  // namespace
}  // namespace photofinish::metrics
