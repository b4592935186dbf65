#include "gateway/config/routes/route_aliases.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

// Returns the number of characters in a pattern, not counting the stars.
std::size_t letters_of(std::string_view pattern) {
  return pattern.size() - static_cast<std::size_t>(std::count(pattern.begin(), pattern.end(), '*'));
}

// True if the name matches the pattern. After a mismatch, only the text for the last star is extended by one character,
// and the rest is compared again. Extending an earlier star would not help, because the last star can match the same
// characters.
bool fits_alias(std::string_view name, std::string_view pattern) {
  std::size_t at = 0, place = 0;
  std::size_t star = std::string_view::npos, retried_from = 0;
  while (at < name.size()) {
    if (place < pattern.size() && pattern[place] == '*') {
      star = place++;
      retried_from = at;
    } else if (place < pattern.size() && pattern[place] == name[at]) {
      ++place, ++at;
    } else if (star != std::string_view::npos) {
      place = star + 1;
      at = ++retried_from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', place) == std::string_view::npos;
}

}  // namespace

const std::string* route_aliases::add(const std::string& alias, const std::string& route) {
  if (!is_alias_pattern(alias)) {
    const auto [entry, is_new] = names_.emplace(alias, route);
    return is_new ? nullptr : &entry->second;
  }
  for (const alias_pattern& each : patterns_)
    if (each.text == alias) return &each.route;
  const auto is_longer = [](const alias_pattern& one, const alias_pattern& other) {
    return letters_of(one.text) > letters_of(other.text);
  };
  alias_pattern pattern{alias, route};
  const auto place = std::upper_bound(patterns_.begin(), patterns_.end(), pattern, is_longer);
  patterns_.insert(place, std::move(pattern));
  return nullptr;
}

const std::string* route_aliases::find(std::string_view model) const {
  if (const auto named = names_.find(model); named != names_.end()) return &named->second;
  const auto fits = [model](const alias_pattern& each) { return fits_alias(model, each.text); };
  const auto pattern = std::find_if(patterns_.begin(), patterns_.end(), fits);
  return pattern == patterns_.end() ? nullptr : &pattern->route;
}

}  // namespace photofinish::gateway
