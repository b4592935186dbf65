// Reads files of the source tree, for tests that compare documents and examples with the code.
#pragma once

#include <filesystem>
#include <string>

namespace photofinish::tests {

std::filesystem::path source_root();

// Returns a file's whole text; fails the test if the file is missing.
std::string source_file(const std::string& path);

}  // namespace photofinish::tests
