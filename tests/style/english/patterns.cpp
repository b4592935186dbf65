#include "tests/style/english/patterns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace photofinish::style {
namespace {

constexpr std::string_view start = "start";

// If a sentence begins with one of these words, the reader must search for the subject. The list does not contain "for", because "For each
// attempt, ..." is good English.
constexpr std::array<std::string_view, 6> first_words{"of", "that", "with", "whose", "what", "who"};

struct phrase {
  std::string_view text;
  std::string_view name = text;
};

constexpr auto phrases = std::to_array<phrase>({{"behind"}, {"beside"}, {"anew"}, {"likewise"}, {"but for"}, {"all the same"},
                                                {"comes to"}, {"goes on"}, {"one that"}, {"ones that"}, {"is no"}, {"are no"},
                                                {"has it no more"}, {", for it", "for it"}, {", for they", "for they"}});

// Usual English phrases also contain "is no": "is no longer", "is no more than", "there is no".
constexpr std::array<std::string_view, 3> after_no{" longer", " more", " less"};
constexpr std::string_view before_no = "there ";

char lower(char each) { return static_cast<char>(std::tolower(static_cast<unsigned char>(each))); }
bool is_letter(char each) { return std::isalpha(static_cast<unsigned char>(each)) != 0; }
bool is_upper(char each) { return std::isupper(static_cast<unsigned char>(each)) != 0; }

// True for characters that join words to a name or a path. A word inside a longer name, such as "behind-a-proxy.md" or "behind_proxy", does
// not count.
bool is_joined(char each) {
  return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_' || each == '-' || each == '/';
}

bool is_at(std::string_view text, std::size_t at, std::string_view words) {
  const std::size_t end = at + words.size();
  const bool begins = words.starts_with(',') || at == 0 || !is_joined(text[at - 1]);
  return begins && (end >= text.size() || !is_joined(text[end]));
}

bool is_usual(std::string_view text, std::size_t at, std::string_view words) {
  if (!words.ends_with(" no")) return false;
  const std::string_view after = text.substr(at + words.size());
  if (after.size() < 2 || after[0] != ' ') return true;  // "the default is no." is usual English, although it contains "is no"
  return text.substr(0, at).ends_with(before_no) ||
         std::any_of(after_no.begin(), after_no.end(), [after](std::string_view each) { return after.starts_with(each); });
}

// Replaces with `word` each part of the text that begins with `open` and ends with `close`.
std::string without_parts(std::string_view text, std::string_view open, std::string_view close, std::string_view word) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t begin = text.find(open);
    const std::size_t end = begin == std::string_view::npos ? begin : text.find(close, begin + open.size());
    if (end == std::string_view::npos) break;
    kept.append(text.substr(0, begin)).append(word);
    text.remove_prefix(end + close.size());
  }
  return kept.append(text);
}

std::string readable(std::string_view text) {
  std::string kept = without_parts(text, "``", "``", "CODE");
  kept = without_parts(kept, "`", "`", "CODE");
  kept = without_parts(kept, "](", ")", "]");
  return without_parts(kept, "[pure", "]", "");
}

std::string excerpt_of(std::string_view text, std::size_t at) {
  constexpr std::size_t before = 30;
  constexpr std::size_t length = 90;
  return std::string(text.substr(at < before ? 0 : at - before, length));
}

void find_phrases(std::string_view text, std::vector<pattern_match>& found) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), lower);
  for (const auto& [words, name] : phrases)
    for (std::size_t at = small.find(words); at != std::string::npos; at = small.find(words, at + 1))
      if (is_at(small, at, words) && !is_usual(small, at, words)) found.push_back({name, excerpt_of(text, at)});
}

// Returns the position of the first sentence after `at`, or the size of the text if no sentence follows.
std::size_t next_sentence(std::string_view text, std::size_t at) {
  for (at = text.find_first_of(".!?", at); at < text.size(); at = text.find_first_of(".!?", at + 1)) {
    const std::size_t end = text.find_first_not_of(".!?\"')]*_", at);
    if (end == std::string_view::npos || text[end] != ' ') continue;
    const std::size_t word = text.find_first_not_of(" \"'([*_", end);
    if (word != std::string_view::npos && is_upper(text[word])) return word;
  }
  return text.size();
}

bool hides_its_subject(std::string_view sentence) {
  const auto end = std::find_if_not(sentence.begin(), sentence.end(), is_letter);
  if (end == sentence.end() || *end != ' ') return false;
  std::string word(sentence.begin(), end);
  std::transform(word.begin(), word.end(), word.begin(), lower);
  const std::size_t last = sentence.find_last_not_of(" \"')]*_(");
  const bool is_question = sentence[last] == '?';
  return !is_question && std::find(first_words.begin(), first_words.end(), word) != first_words.end();
}

void find_starts(std::string_view text, std::vector<pattern_match>& found) {
  std::size_t at = std::min(text.find_first_not_of(" \"'([*_"), text.size());
  while (at < text.size()) {
    const std::size_t next = next_sentence(text, at);
    if (hides_its_subject(text.substr(at, next - at))) found.push_back({start, excerpt_of(text.substr(at), 0)});
    at = next;
  }
}

}  // namespace

std::vector<pattern_match> find_patterns(const passage& prose) {
  const std::string text = readable(prose.text);
  std::vector<pattern_match> found;
  if (prose.has_sentences) find_starts(text, found);
  find_phrases(text, found);
  return found;
}

}  // namespace photofinish::style
