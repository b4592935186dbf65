// Files of the source tree, for tests that hold documents and examples to the code.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace photofinish::tests {

// PHOTOFINISH_SOURCE_DIR comes from tests/CMakeLists.txt.
inline std::string source_file(const std::string& path) {
  std::ifstream file(std::string(PHOTOFINISH_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace photofinish::tests
