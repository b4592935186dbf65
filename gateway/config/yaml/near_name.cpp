#include "gateway/config/yaml/near_name.hpp"

#include "proxy/words/ascii.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_word = 128;
// The minimum length of a word that is searched for inside names. Almost any name contains some shorter words.
constexpr std::size_t shortest_part = 3;

bool holds(std::string_view whole, std::string_view part) {
  return part.size() >= shortest_part && whole.find(part) != std::string_view::npos;
}

// Returns how similar the candidate is to the word; a lower number means more similar. Returns nothing if they are not
// similar. A candidate that contains the word counts as less similar than a candidate with a few wrong letters.
std::optional<std::size_t> rank(std::string_view word, std::string_view candidate) {
  if (word.empty() || word.size() > longest_word || candidate.size() > longest_word) return std::nullopt;
  const std::size_t distance = edit_distance(word, candidate);
  const std::size_t length = std::max(word.size(), candidate.size());
  if (distance <= std::max<std::size_t>(1, length / 3) && distance < length) return distance;
  const std::string left = proxy::ascii_lower(word);
  const std::string right = proxy::ascii_lower(candidate);
  if (holds(left, right) || holds(right, left)) return longest_word + distance;
  return std::nullopt;
}

}  // namespace

std::size_t edit_distance(std::string_view left_text, std::string_view right_text) {
  const std::string left = proxy::ascii_lower(left_text);
  const std::string right = proxy::ascii_lower(right_text);
  std::vector<std::size_t> before_last(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[right.size()];
}

std::vector<std::string> nearest_few(std::string_view word, const std::vector<std::string>& candidates,
                                     std::size_t limit) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : candidates)
    if (const auto place = rank(word, candidate)) ranked.emplace_back(*place, candidate);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (auto& [place, name] : ranked)
    if (names.size() < limit) names.push_back(std::move(name));
  return names;
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::vector<std::string> names = nearest_few(word, candidates, 1);
  return names.empty() ? std::nullopt : std::optional(std::move(names.front()));
}

}  // namespace photofinish::gateway
