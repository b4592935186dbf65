#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace photofinish::tests {

// PHOTOFINISH_SOURCE_DIR comes from tests/CMakeLists.txt. Only this file uses it: the objects of other files are the same in every clone,
// and a compiler cache can share them.
std::filesystem::path source_root() { return PHOTOFINISH_SOURCE_DIR; }

std::string source_file(const std::string& path) {
  std::ifstream file(source_root() / path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace photofinish::tests
