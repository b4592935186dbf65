#include "tests/style/rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::style {
namespace {

constexpr std::size_t max_lines = 600;
constexpr std::size_t max_columns = 120;
constexpr std::size_t max_test_columns = 140;  // the longest permitted line of a test; the contents of literals do not count

// Permitted entries of the top folder. The first entries are files that readers or tools expect. The others are
// unversioned files that tools write.
constexpr std::array<std::string_view, 18> house{
    "CMakeLists.txt", "gateway",      "proxy",             "racing",        "metrics",     "tests", "deploy", "docs",
    "README.md",      "CHANGELOG.md", "CMakePresets.json", ".clang-format", ".clang-tidy", ".ci",   ".git",   ".gitignore",
    "SECURITY.md",    "CONTRIBUTING.md"};
constexpr std::array<std::string_view, 7> lodgers{"LICENSE", "build", ".cache", "compile_commands.json", ".vscode",
                                                  ".idea", "CMakeUserPresets.json"};

template <class Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool says_pragma_once(const source_file& file) {
  return std::find(file.code.begin(), file.code.end(), "#pragma once") != file.code.end();
}

// True if a file must begin with a comment. A .cpp needs no comment if there is a header of the same name. The test of this .cpp needs no
// comment either.
bool needs_head_comment(const source_tree& tree, const source_file& file) {
  if (file.is_header() || file.path.ends_with(".sh")) return true;
  if (!file.is_cpp() || !file.is_product()) return false;
  if (tree.find(file.path.substr(0, file.path.size() - 4) + ".hpp")) return false;
  return file.includes.empty() || !file.includes[0].is_quoted || file.includes[0].line != 1;
}

bool has_head_comment(const source_file& file) {
  if (!file.path.ends_with(".sh")) return !file.lines.empty() && file.lines[0].starts_with("// ");
  return file.lines.size() > 1 && file.lines[0].starts_with("#!") && file.lines[1].starts_with("# ");
}

}  // namespace

violations headers_without_pragma_once(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files)
    if (file.is_header() && !says_pragma_once(file)) found.push_back({path, 1, "has no #pragma once"});
  return found;
}

violations using_namespace_in_headers(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_header()) continue;
    for (std::size_t i = 0; i < file.code.size(); ++i)
      if (file.code[i].find("using namespace") != std::string::npos)
        found.push_back({path, i + 1, "using namespace in a header"});
  }
  return found;
}

violations long_files(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files)
    if (file.is_source() && file.lines.size() > max_lines)
      found.push_back({path, file.lines.size(), "more than 600 lines: look for the second idea"});
  return found;
}

// Tests and benchmarks contain tables and data in long literals. The line limit of these files ignores the contents of literals.
violations long_lines(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    const auto& lines = file.is_product() ? file.lines : file.text;
    const std::size_t allowed = file.folder() == "tests" ? max_test_columns : max_columns;
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (columns(lines[i]) > allowed)
        found.push_back({path, i + 1, std::to_string(columns(lines[i])) + " columns, not " + std::to_string(allowed)});
  }
  return found;
}

violations tabs(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files)
    for (std::size_t i = 0; i < file.text.size(); ++i)
      if (file.text[i].find('\t') != std::string::npos) found.push_back({path, i + 1, "holds a tab"});
  return found;
}

// GitHub's Markdown shows a table as a paragraph if no row of dashes follows its first row.
violations tables_without_a_head(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.documents) {
    bool is_code = false, is_in_table = false;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (file.lines[i].starts_with("```")) is_code = !is_code;
      const bool is_row = !is_code && file.lines[i].starts_with("|");
      const bool has_head = i + 1 < file.lines.size() && file.lines[i + 1].starts_with("|--");
      if (is_row && !is_in_table && !has_head) found.push_back({path, i + 1, "begins a table without names and `|---|`"});
      is_in_table = is_row;
    }
  }
  return found;
}

violations missing_head_comments(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files)
    if (needs_head_comment(tree, file) && !has_head_comment(file))
      found.push_back({path, 1, "does not begin with a comment that says what it is for"});
  return found;
}

violations main_in_tests(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!path.ends_with("CMakeLists.txt")) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (line.find("main.cpp") == std::string::npos || line.starts_with("#")) continue;
      if (line != "add_executable(photofinish main.cpp)")
        found.push_back({path, i + 1, "main.cpp belongs to photofinish alone, and into no test"});
    }
  }
  return found;
}

violations strangers_at_top_level(const source_tree& tree) {
  violations found;
  for (const std::string& name : tree.top_level)
    if (!holds(house, name) && !holds(lodgers, name))
      found.push_back({name, 1, "the top level holds nothing but what is agreed on"});
  return found;
}

}  // namespace photofinish::style
