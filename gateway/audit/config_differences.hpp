// Compares two configurations and returns the names of the differences, for people. Values are not returned, because
// they may be secret. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Returns the names of changed settings, in the order of the configuration file: "routes.fast", "providers.groq",
// "teams.search", "limits", … Keys are not included.
std::vector<std::string> changed_settings(const config& before, const config& after);

struct key_change {
  std::string_view what;  // one of the words added, removed, blocked, unblocked, secret, expiry and rights
  std::string key, team;

  bool operator==(const key_change&) const = default;
};

// Returns the changes of access keys, and of the revoked ids of sealed keys, sorted by name. One key may have several
// changes.
std::vector<key_change> changed_keys(const config& before, const config& after);

}  // namespace photofinish::gateway
