// The names of providers, routes, access keys and teams that differ between two configurations: added names and
// removed names. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The added and removed names of one kind, such as providers. A blocked key still counts as present.
struct name_changes {
  std::string_view kind;  // the kind of names: "provider", "route", "access key" or "team"
  std::size_t before = 0, now = 0;
  std::vector<std::string> came, went;  // the added and the removed names, sorted

  // True if more than half of the names were removed, and fewer names were added. This is typical of a file that was
  // cut off, but not of renamed entries.
  bool is_mostly_gone() const { return 2 * went.size() > before && came.size() < went.size(); }
};

struct config_changes {
  name_changes providers, routes, access_keys, teams;
};

config_changes changes_between(const config& before, const config& after);

// Returns a number with its noun, such as "1 provider" or "2 access keys".
std::string count_of_kind(std::size_t count, std::string_view kind);

// Returns the first three names and the number of the remaining names, such as "'alice', 'bob', 'carol' and 5 more".
std::string first_names(const std::vector<std::string>& names);

// Returns the counts of a configuration, such as "3 providers, 2 routes, 9 access keys, 1 team".
std::string counts_text(const config& settings);

// Returns the counts with the added and the removed names, such as "3 providers (1 came: 'xai'), 2 routes, 1 access key
// (8 went: …), 0 teams".
std::string changes_text(const config_changes& changes);

}  // namespace photofinish::gateway
