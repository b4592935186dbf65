// Recorded answers of real providers, which are not part of this project: tests that read them are skipped without them.
// They lie in the folder that PHOTOFINISH_RECORDINGS names.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::test {

struct recorded_stream {
  std::string name;
  std::vector<std::string> events;  // the JSON of each
};

// Those of that folder whose first event holds `mark`, in the order of their names.
inline std::vector<recorded_stream> recorded_streams(std::string_view folder, std::string_view mark) {
  std::vector<recorded_stream> found;
  const char* const root = std::getenv("PHOTOFINISH_RECORDINGS");
  if (root == nullptr) return found;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(root) / folder, missing)) {
    if (!entry.path().filename().string().ends_with(".chunks.txt")) continue;
    recorded_stream each{entry.path().filename().string(), {}};
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) each.events.push_back(line);
    if (!each.events.empty() && each.events.front().find(mark) != std::string::npos) found.push_back(std::move(each));
  }
  std::sort(found.begin(), found.end(), [](const auto& one, const auto& other) { return one.name < other.name; });
  return found;
}

}  // namespace photofinish::test
