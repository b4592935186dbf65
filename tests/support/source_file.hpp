// Reads files of the source tree, for tests that compare documents and examples with the code.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace photofinish::tests {

std::filesystem::path source_root();

// Returns the whole text of a file. The test fails if the file is missing.
std::string source_file(const std::string& path);

// Returns the paths of docs/NAME.md and of all pages in the folder docs/NAME, if that folder exists.
std::vector<std::string> pages_of(const std::string& name);

// Returns the joined texts of docs/NAME.md and of all pages in docs/NAME.
std::string text_of_pages(const std::string& name);

}  // namespace photofinish::tests
