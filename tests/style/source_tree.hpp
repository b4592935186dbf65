// The source tree as the style rules read it: files by path, each line with and without comments and literals.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::style {

struct include_line {
  std::size_t line = 0;  // the first line is 1
  std::string name;      // "racing/race.hpp" or <vector>, without its marks
  bool is_quoted = false;
};

// Messages count lines from 1, the vectors from 0.
struct source_file {
  std::string path;                 // "racing/race.hpp"
  std::vector<std::string> lines;   // unchanged
  std::vector<std::string> text;    // literals emptied, comments kept
  std::vector<std::string> code;    // literals emptied, comments removed
  std::vector<include_line> includes;

  std::string folder() const { return path.substr(0, path.find('/')); }
  bool is_header() const { return path.ends_with(".hpp"); }
  bool is_cpp() const { return path.ends_with(".cpp"); }
  bool is_source() const { return is_header() || is_cpp(); }
  bool is_product() const;  // in one of the four product folders
  std::string comment_at(std::size_t line) const;  // the comment after the code of a line; the first line is 0
};

struct source_tree {
  std::map<std::string, source_file> files;  // by path: C++, CMakeLists.txt and shell scripts
  std::map<std::string, source_file> documents;  // by path: README.md and the like, and docs
  std::map<std::string, source_file> other_files;  // by path: Python, JavaScript, YAML and the like
  std::vector<std::string> top_level;        // names of the entries

  const source_file* find(const std::string& path) const;
};

source_file make_file(std::string path, std::string_view content);

// A tree with only these files, to test rules: path, content.
source_tree make_tree(const std::vector<std::pair<std::string, std::string>>& files);

// The project's own tree, read once. Fails the calling test if there is none.
const source_tree& project_tree();

struct violation {
  std::string path;
  std::size_t line = 1;
  std::string what;
};
using violations = std::vector<violation>;

// "racing/race.cpp:12: what is wrong", line by line.
std::string describe(const violations& found);

// The width of a line in code points: continuation bytes of UTF-8 take no column.
std::size_t columns(std::string_view line);

// True if `word` is at `at` as a whole word.
bool is_word_at(std::string_view code, std::size_t at, std::string_view word);

}  // namespace photofinish::style
