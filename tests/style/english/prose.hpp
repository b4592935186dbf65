// The prose of a file: the comments of code, and the paragraphs of documents.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace photofinish::style {

// A comment, a paragraph, an item of a list, a heading or a cell of a table. Lines are joined with spaces.
struct passage {
  std::size_t line = 1;  // the first one
  std::string text;
  bool has_sentences = true;  // false for headings and cells
};

// Reads comments of C++, JavaScript and Go (// and /* */), of Python (# and docstrings), and of shell, CMake, YAML and the
// like (#). Blocks of code in documents are left out.
std::vector<passage> prose_of(const source_file& file);

}  // namespace photofinish::style
