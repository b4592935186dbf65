// The source tree for the style rules: all files by path, and their lines with and without comments and literals.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::style {

struct include_line {
  std::size_t line = 0;  // line number of the #include, counted from 1
  std::string name;      // name in the #include, without quotes and angle brackets: "racing/race.hpp" or "vector"
  bool is_quoted = false;
};

// One file of the tree. Violations count lines from 1, but the vectors are indexed from 0.
struct source_file {
  std::string path;                 // path of the file, for example "racing/race.hpp"
  std::vector<std::string> lines;   // the lines of the file, unchanged
  std::vector<std::string> text;    // lines with comments, but without the contents of literals
  std::vector<std::string> code;    // lines without comments and without the contents of literals
  std::vector<include_line> includes;

  std::string folder() const { return path.substr(0, path.find('/')); }
  bool is_header() const { return path.ends_with(".hpp"); }
  bool is_cpp() const { return path.ends_with(".cpp"); }
  bool is_source() const { return is_header() || is_cpp(); }
  bool is_product() const;  // true if the file is in one of the four product folders
  std::string comment_at(std::size_t line) const;  // returns the comment at the end of a line of code; line indexes start at 0
};

struct source_tree {
  std::map<std::string, source_file> files;  // C++ files, CMakeLists.txt and shell scripts, by path
  std::map<std::string, source_file> documents;  // README.md and similar files, and docs, by path
  std::map<std::string, source_file> other_files;  // Python, JavaScript, YAML and similar files, by path
  std::vector<std::string> top_level;        // names of the entries in the top folder

  const source_file* find(const std::string& path) const;
};

source_file make_file(std::string path, std::string_view content);

// Creates a tree with only these files, to test rules. Each pair is a path and the content of its file.
source_tree make_tree(const std::vector<std::pair<std::string, std::string>>& files);

// Returns the source tree of the project, which is read only once. If the tree cannot be found, the calling test fails.
const source_tree& project_tree();

struct violation {
  std::string path;
  std::size_t line = 1;
  std::string what;
};
using violations = std::vector<violation>;

// Writes each violation as one line: "racing/race.cpp:12: problem".
std::string describe(const violations& found);

// Returns the width of a line in code points.
std::size_t columns(std::string_view line);

// True if `word` is in the code at position `at`, and is not a part of a longer word.
bool is_word_at(std::string_view code, std::size_t at, std::string_view word);

}  // namespace photofinish::style
