// Reads files of the source tree, for tests that compare documents and examples with the code.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace photofinish::tests {

std::filesystem::path source_root();

// Returns the whole text of a file. The test fails if the file is missing.
std::string source_file(const std::string& path);

// Returns the path of docs/NAME.md. If the folder docs/NAME exists, also returns the paths of all its pages.
std::vector<std::string> pages_of(const std::string& name);

// Returns the texts of docs/NAME.md and of all pages in docs/NAME as one string.
std::string text_of_pages(const std::string& name);

}  // namespace photofinish::tests
