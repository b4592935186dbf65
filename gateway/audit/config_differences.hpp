// Compares two configurations and shows the differences as names, for people. It shows no values, because values may be
// secrets. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Returns the names of the changed settings, in the order of the configuration file: "routes.fast", "providers.groq",
// "teams.search", "limits", … Keys are not included.
std::vector<std::string> changed_settings(const config& before, const config& after);

struct key_change {
  std::string_view what;  // one of: added, removed, blocked, unblocked, secret, expiry, rights
  std::string key, team;

  bool operator==(const key_change&) const = default;
};

// Returns the changes of access keys and of revoked ids of sealed keys, in the order of their names. A key may have
// several changes.
std::vector<key_change> changed_keys(const config& before, const config& after);

}  // namespace photofinish::gateway
