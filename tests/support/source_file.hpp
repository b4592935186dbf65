// Reads files of the source tree, for tests that compare documents and examples with the code.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace photofinish::tests {

std::filesystem::path source_root();

// Returns a file's whole text; fails the test if the file is missing.
std::string source_file(const std::string& path);

// The paths of docs/NAME.md and of all pages in the folder docs/NAME, which it has if its text is split into pages.
std::vector<std::string> pages_of(const std::string& name);

// The texts of these pages, one after another.
std::string text_of_pages(const std::string& name);

}  // namespace photofinish::tests
