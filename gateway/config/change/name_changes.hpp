// The providers, routes, access keys and teams that were added and removed between two configurations, by name. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The changes of one kind of name. A blocked key still counts as present.
struct name_changes {
  std::string_view kind;  // one of "provider", "route", "access key", "team"
  std::size_t before = 0, now = 0;
  std::vector<std::string> came, went;  // sorted by name

  // True if more than half of the names were removed, and fewer were added. A cut file has this effect; renaming has
  // not.
  bool is_mostly_gone() const { return 2 * went.size() > before && came.size() < went.size(); }
};

struct config_changes {
  name_changes providers, routes, access_keys, teams;
};

config_changes changes_between(const config& before, const config& after);

// "1 provider", "2 access keys".
std::string count_of_kind(std::size_t count, std::string_view kind);

// "'alice', 'bob', 'carol' and 5 more": the first three names.
std::string first_names(const std::vector<std::string>& names);

// "3 providers, 2 routes, 9 access keys, 1 team".
std::string counts_text(const config& settings);

// The same counts, each with its changes: "3 providers (1 came: 'xai'), 2 routes, 1 access key (8 went: …), 0 teams".
std::string changes_text(const config_changes& changes);

}  // namespace photofinish::gateway
