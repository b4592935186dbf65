#include "tests/style/rules.hpp"

#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::style {
namespace {

struct plain_word {
  std::string_view instead_of;
  std::string_view say;
};

// Words that are hard to understand, each with its usual replacement.
constexpr std::array<plain_word, 20> plain_words{{
    {"nobody", "no client, none"},      {"somebody", "a client, a person"}, {"anybody", "any client"},
    {"everybody", "all clients"},       {"whoever", "any client"},          {"told", "reported, shown, sent"},
    {"dear", "expensive"},              {"dearer", "more expensive"},       {"wish", "request, parameter"},
    {"wishes", "requests, parameters"}, {"fate", "disposition"},            {"farewell", "overload response"},
    {"tame", "lenient"},                {"tamed", "lenient"},               {"gather", "merge, batch"},
    {"gathers", "merges, batches"},     {"gathered", "merged, batched"},    {"calm", "ENHANCE_YOUR_CALM"},
    {"calmed", "ENHANCE_YOUR_CALM"},    {"entrant", "candidate, attempt"},
}};

// Files that may contain hard words: this list, the tests of the rules, and the story that the simulated provider streams.
constexpr std::array<std::string_view, 3> exempt{"tests/style/word_rules.cpp", "tests/style/planted_test.cpp",
                                                 "gateway/simulator/plan/schedule.cpp"};

bool is_exempt(std::string_view path) {
  for (const std::string_view each : exempt)
    if (path == each) return true;
  return false;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& each : lower) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return lower;
}

void look(const source_file& file, violations& found) {
  if (is_exempt(file.path)) return;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string line = in_lower_case(file.lines[i]);
    for (const plain_word& each : plain_words)
      for (std::size_t at = line.find(each.instead_of); at != std::string::npos; at = line.find(each.instead_of, at + 1))
        if (is_word_at(line, at, each.instead_of))
          found.push_back({file.path, i + 1, "'" + std::string(each.instead_of) + "': say " + std::string(each.say)});
  }
}

}  // namespace

violations words_to_read_twice(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) look(file, found);
  for (const auto& [path, file] : tree.documents) look(file, found);
  return found;
}

}  // namespace photofinish::style
