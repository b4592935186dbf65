#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace photofinish::tests {

// The build (tests/CMakeLists.txt) defines PHOTOFINISH_SOURCE_DIR. Only this file uses the macro. Therefore the objects of all other files
// are the same in every clone, and a compiler cache can share them.
std::filesystem::path source_root() { return PHOTOFINISH_SOURCE_DIR; }

std::string source_file(const std::string& path) {
  std::ifstream file(source_root() / path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> pages_of(const std::string& name) {
  const std::string folder = "docs/" + name;
  std::vector<std::string> pages;
  if (std::filesystem::is_directory(source_root() / folder))
    for (const auto& entry : std::filesystem::directory_iterator(source_root() / folder))
      if (entry.path().extension() == ".md") pages.push_back(folder + "/" + entry.path().filename().string());
  std::sort(pages.begin(), pages.end());
  pages.insert(pages.begin(), folder + ".md");
  return pages;
}

std::string text_of_pages(const std::string& name) {
  std::string text;
  for (const std::string& page : pages_of(name)) text += source_file(page) + "\n";
  return text;
}

}  // namespace photofinish::tests
