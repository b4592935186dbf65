// Files of the source tree, for tests that hold documents and examples to the code.
#pragma once

#include <filesystem>
#include <string>

namespace photofinish::tests {

std::filesystem::path source_root();

// A file's whole text; fails the test if there is none.
std::string source_file(const std::string& path);

}  // namespace photofinish::tests
