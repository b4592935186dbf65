// Reads recorded answers of real providers. The environment variable PHOTOFINISH_RECORDINGS names the folder of the recordings. They are
// not part of this project. If they are missing, the tests that need them are skipped. If PHOTOFINISH_EVERY_CUT is set, tests split streams
// at more places, which takes minutes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::test {

inline constexpr const char* no_recordings = "PHOTOFINISH_RECORDINGS names no folder with recordings";

inline std::optional<std::filesystem::path> recordings() {
  const char* const root = std::getenv("PHOTOFINISH_RECORDINGS");
  return root == nullptr || *root == 0 ? std::nullopt : std::optional<std::filesystem::path>(root);
}

inline std::string recorded_text(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Returns the paths of the recorded non-streamed answers in this folder, sorted by name.
inline std::vector<std::filesystem::path> recorded_wholes(std::string_view folder) {
  std::vector<std::filesystem::path> found;
  std::error_code missing;
  if (const auto root = recordings())
    for (const auto& entry : std::filesystem::directory_iterator(*root / folder, missing))
      if (entry.path().extension() == ".json") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// Returns the positions at which a test splits a stream in two. The positions are random with a fixed seed, and many of them are near the
// text `mark`, which ends an event. Their number is limited, so that the test replays at most `most_replayed` bytes. If
// PHOTOFINISH_EVERY_CUT is set, the test splits a short stream at every position, and a long stream at a thousand additional positions.
inline std::vector<std::size_t> cuts_of(const std::string& bytes, std::string_view mark) {
  constexpr std::size_t most_cut_everywhere = 16u << 10, most_replayed = 1u << 20, near_an_end = 8;
  const bool is_all = std::getenv("PHOTOFINISH_EVERY_CUT") != nullptr;
  std::vector<std::size_t> cuts;
  if (is_all && bytes.size() <= most_cut_everywhere) {
    for (std::size_t at = 1; at < bytes.size(); ++at) cuts.push_back(at);
    return cuts;
  }
  for (std::size_t at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1))
    for (std::size_t near = at < near_an_end ? 0 : at - near_an_end; near <= at + near_an_end && near < bytes.size(); ++near)
      cuts.push_back(near);
  std::mt19937 chance(20260822);
  for (int each = 0; each < 1000; ++each) cuts.push_back(chance() % bytes.size());
  if (is_all) return cuts;
  std::shuffle(cuts.begin(), cuts.end(), chance);
  cuts.resize(std::min(cuts.size(), std::max<std::size_t>(4, most_replayed / bytes.size())));
  return cuts;
}

struct recorded_stream {
  std::string name;
  std::vector<std::string> events;  // the JSON of each event in the recorded stream
};

// Returns the recorded streams of this folder whose first event contains `mark`, sorted by name.
inline std::vector<recorded_stream> recorded_streams(std::string_view folder, std::string_view mark) {
  std::vector<recorded_stream> found;
  const auto root = recordings();
  if (!root) return found;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(*root / folder, missing)) {
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
