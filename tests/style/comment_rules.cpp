#include "tests/style/rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace photofinish::style {
namespace {

// These names look like names from this project, but belong elsewhere: an inference engine, a TLS alert, a system call, two variables of a
// formula, and a folder of AIPerf.
constexpr std::array<std::string_view, 6> foreign{"llama.cpp", "close_notify", "select", "t_last", "t_first", "concurrency_10"};

bool is_foreign(std::string_view name) { return std::find(foreign.begin(), foreign.end(), name) != foreign.end(); }

bool is_word_letter(char each) { return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_'; }
bool is_path_letter(char each) { return is_word_letter(each) || each == '.' || each == '/' || each == '-'; }

// Finds each maximal run of characters that `is_of_run` accepts. Calls `see` with the run and the text that follows.
void each_run(std::string_view text, bool (*is_of_run)(char),
              const std::function<void(std::string_view run, std::string_view behind)>& see) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_run(text[end])) ++end;
    if (end > at) see(text.substr(at, end - at), text.substr(end));
    at = end + 1;
  }
}

bool is_there(const source_tree& tree, std::string_view name) {
  return std::any_of(tree.files.begin(), tree.files.end(), [name](const auto& each) {
    const std::string_view path = each.first;
    return path.ends_with(name) && (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
  });
}

// Returns every word in the code, in its string literals, and in the lists of sources in CMakeLists.txt files. Does not return words in
// comments.
std::set<std::string, std::less<>> words_in_use(const source_tree& tree) {
  std::set<std::string, std::less<>> words;
  const auto keep = [&words](std::string_view word, std::string_view) { words.emplace(word); };
  for (const auto& [path, file] : tree.files) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      std::string_view line = file.lines[i];
      const std::string comment = file.comment_at(i);
      if (line.ends_with(comment)) line.remove_suffix(comment.size());
      each_run(line, is_word_letter, keep);
    }
  }
  return words;
}

// True if the word has the form of a name in the code: several words joined by underscores, or a word followed by the brackets of a call.
bool names_code(std::string_view word, std::string_view behind) {
  const auto is_small = [](char each) { return !std::isupper(static_cast<unsigned char>(each)); };
  if (!std::isalpha(static_cast<unsigned char>(word.front())) || !std::all_of(word.begin(), word.end(), is_small))
    return false;
  const bool is_of_a_path = behind.size() > 1 && behind[0] == '.' && is_word_letter(behind[1]);
  return behind.starts_with("()") || (word.find('_') != std::string_view::npos && !is_of_a_path);
}

}  // namespace

violations unknown_files_in_comments(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source()) continue;
    for (std::size_t i = 0; i < file.text.size(); ++i)
      each_run(file.comment_at(i), is_path_letter, [&, at = i + 1](std::string_view name, std::string_view) {
        while (name.ends_with('.')) name.remove_suffix(1);
        if (name.size() <= 4 || (!name.ends_with(".hpp") && !name.ends_with(".cpp"))) return;
        if (!is_foreign(name) && !is_there(tree, name)) found.push_back({path, at, "there is no " + std::string(name)});
      });
  }
  return found;
}

violations unknown_names_in_comments(const source_tree& tree) {
  const auto words = words_in_use(tree);
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source()) continue;
    for (std::size_t i = 0; i < file.text.size(); ++i)
      each_run(file.comment_at(i), is_word_letter, [&, at = i + 1](std::string_view word, std::string_view behind) {
        if (names_code(word, behind) && !words.contains(word) && !is_foreign(word))
          found.push_back({path, at, "nothing is called " + std::string(word)});
      });
  }
  return found;
}

}  // namespace photofinish::style
