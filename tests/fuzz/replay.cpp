// Runs a fuzz target on stored inputs, as an ordinary test. The inputs are all files of the given folders, and every prefix of each small
// file. A failed check ends the program.
#include "tests/fuzz/fuzz_target.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr std::size_t small = 4096;

std::vector<std::filesystem::path> files_in(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void play(const std::string& input, std::size_t size) {
  const photofinish::fuzz::exact_bytes bytes(std::string_view(input).substr(0, size));
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.view().data()), bytes.view().size());
}

}  // namespace

int main(int count, char** arguments) {
  std::size_t files = 0, inputs = 0;
  for (int each = 1; each < count; ++each) {
    for (const auto& path : files_in(arguments[each])) {
      std::fprintf(stderr, "%s\n", path.filename().c_str());  // if a check fails, the last printed line is the name of the failing file
      std::ifstream file(path, std::ios::binary);
      const std::string input(std::istreambuf_iterator<char>(file), {});
      const std::size_t step = input.size() <= small ? 1 : input.size();
      for (std::size_t size = 0; size < input.size(); size += step, ++inputs) play(input, size);
      play(input, input.size());
      ++files, ++inputs;
    }
  }
  std::printf("%zu files, %zu inputs\n", files, inputs);
  return files > 0 ? 0 : 1;
}
