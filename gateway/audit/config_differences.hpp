// Compares two configurations by names, for people: it shows no values, because they may be secrets. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// "routes.fast", "providers.groq", "teams.search", "limits", …: the settings by their names in the file, in the
// file's order. Keys are not included.
std::vector<std::string> changed_settings(const config& before, const config& after);

struct key_change {
  std::string_view what;  // added, removed, blocked, unblocked, secret, expiry, rights
  std::string key, team;

  bool operator==(const key_change&) const = default;
};

// Changes of access keys and of revoked ids of sealed keys, in the order of their names. A key may
// have several changes.
std::vector<key_change> changed_keys(const config& before, const config& after);

}  // namespace photofinish::gateway
