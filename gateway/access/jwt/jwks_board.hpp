// The keys of identity providers, as workers see them: an immutable snapshot.
#pragma once

#include "gateway/access/jwt/key_set.hpp"
#include "gateway/config/access/jwt_issuer.hpp"
#include "proxy/loop/alarms.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct held_key_set {
  jwks_source source;
  std::shared_ptr<const key_set> keys;  // null: there are none
  std::uint64_t tries = 0;              // so often it has been asked for, and something came of it
  proxy::instant tried_at{};            // when something last came of it
  std::string trouble;                  // why there are no keys, or no newer ones
};

// In any order.
using jwks_board = std::vector<std::shared_ptr<const held_key_set>>;

// Between two fetches because a token names a key that is not known, or its signature does not fit the key that it
// names.
inline constexpr std::chrono::seconds between_unknown_keys{60};

}  // namespace photofinish::gateway
