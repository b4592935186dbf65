// Extracts the prose of a file: the comments of code, or the paragraphs of a document.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::style {

// A comment, a paragraph, a list item, a heading or a table cell. Its lines are joined with spaces.
struct passage {
  std::size_t line = 1;  // number of the first line of the passage
  std::string text;
  bool has_sentences = true;  // false for headings and table cells, which have no sentences
};

// Returns the comments of a source file, or the paragraphs of a document without its blocks of code. Knows // and /* */ in C++, JavaScript
// and Go, # and docstrings in Python, and # in shell, CMake, YAML and similar files.
std::vector<passage> prose_of(const source_file& file);

}  // namespace photofinish::style
