#include "tests/style/english/counts.hpp"

#include "tests/style/english/patterns.hpp"
#include "tests/style/english/prose.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace photofinish::style {
namespace {

constexpr std::string_view table_path = "tests/style/english/counts.txt";

constexpr std::string_view table_head =
    "# The number of hard words and phrases in each room. docs/style.md lists them, and the command that writes this file.\n"
    "# No count may grow.\n";

std::string folder_of(const std::string& path) {
  const std::size_t end = path.rfind('/');
  return end == std::string::npos ? "." : path.substr(0, end);
}

struct located_match {
  std::string path;
  std::size_t line = 1;
  pattern_match match;
};

std::vector<located_match> matches_in(const source_tree& tree) {
  std::vector<located_match> matches;
  for (const auto* files : {&tree.files, &tree.documents, &tree.other_files})
    for (const auto& [path, file] : *files)
      for (const passage& prose : prose_of(file))
        for (pattern_match& match : find_patterns(prose)) matches.push_back({path, prose.line, std::move(match)});
  return matches;
}

english_counts counts_of(const std::vector<located_match>& matches) {
  english_counts counts;
  for (const located_match& each : matches) ++counts[folder_of(each.path)][std::string(each.match.pattern)];
  return counts;
}

std::size_t count_of(const english_counts& counts, const std::string& room, std::string_view pattern) {
  const auto found = counts.find(room);
  if (found == counts.end()) return 0;
  const auto count = found->second.find(std::string(pattern));
  return count == found->second.end() ? 0 : count->second;
}

std::string row_of(const std::string& room, const std::map<std::string, std::size_t>& patterns) {
  std::string row = room;
  for (const auto& [pattern, count] : patterns)
    row.append(row.size() == room.size() ? ": " : ", ").append(pattern).append(" ").append(std::to_string(count));
  return row;
}

// Parses the counts of one room (folder), for example "behind 2, start 1".
std::map<std::string, std::size_t> patterns_from(std::string_view text) {
  std::map<std::string, std::size_t> patterns;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(", "));
    const std::size_t blank = std::min(entry.rfind(' '), entry.size());
    const std::string_view digits = entry.substr(std::min(blank + 1, entry.size()));
    std::size_t count = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    patterns[std::string(entry.substr(0, blank))] = count;
    text.remove_prefix(std::min(entry.size() + 2, text.size()));
  }
  return patterns;
}

bool has_shrunk(const english_counts& counts, const std::string& room, const std::map<std::string, std::size_t>& listed) {
  return std::any_of(listed.begin(), listed.end(),
                     [&](const auto& each) { return count_of(counts, room, each.first) < each.second; });
}

}  // namespace

english_counts count_english(const source_tree& tree) { return counts_of(matches_in(tree)); }

std::string to_table(const english_counts& counts) {
  std::string table(table_head);
  for (const auto& [room, patterns] : counts) table += row_of(room, patterns) + "\n";
  return table;
}

english_counts from_table(std::string_view table) {
  english_counts counts;
  while (!table.empty()) {
    const std::string_view row = table.substr(0, table.find('\n'));
    const std::size_t colon = row.find(": ");
    if (!row.starts_with('#') && colon != std::string_view::npos)
      counts[std::string(row.substr(0, colon))] = patterns_from(row.substr(colon + 2));
    table.remove_prefix(std::min(row.size() + 1, table.size()));
  }
  return counts;
}

violations changed_counts(const source_tree& tree, const english_counts& listed) {
  const std::vector<located_match> matches = matches_in(tree);
  const english_counts counts = counts_of(matches);
  violations found;
  for (const auto& [path, line, match] : matches) {
    const std::string room = folder_of(path);
    const std::size_t most = count_of(listed, room, match.pattern);
    const std::size_t count = count_of(counts, room, match.pattern);
    if (count > most)
      found.push_back({path, line, "'" + std::string(match.pattern) + "': " + room + " has " + std::to_string(count) +
                                       ", the table allows " + std::to_string(most) + ": " + match.excerpt});
  }
  for (const auto& [room, patterns] : listed) {
    if (!has_shrunk(counts, room, patterns)) continue;
    const auto now = counts.find(room);
    found.push_back({std::string(table_path), 1, now == counts.end() ? "delete the line of " + room
                                                                     : "the new line is '" + row_of(room, now->second) + "'"});
  }
  return found;
}

}  // namespace photofinish::style
