// What one configuration has changed of another, by names: for people, without a value, which may be a secret. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// "routes.fast", "providers.groq", "teams.search", "limits", …: settings as the file names them, in its order. Keys are
// not among them.
std::vector<std::string> changed_settings(const config& before, const config& after);

struct key_change {
  std::string_view what;  // added, removed, blocked, unblocked, secret, expiry, rights
  std::string key, team;

  bool operator==(const key_change&) const = default;
};

// Of access keys and of ids of sealed keys that were revoked, in the order of their names; of one key each that holds.
std::vector<key_change> changed_keys(const config& before, const config& after);

}  // namespace photofinish::gateway
