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
  std::shared_ptr<const key_set> keys;  // null: no keys are known
  std::uint64_t tries = 0;              // number of finished fetches, including failed ones
  proxy::instant tried_at{};            // time of the last finished fetch
  std::string trouble;                  // why there are no keys, or no newer ones
  proxy::instant began_at{};            // the start of the last fetch that brought keys
  proxy::instant next_fetch_at{};       // from this time on an unknown key may cause another fetch
};

// In any order.
using jwks_board = std::vector<std::shared_ptr<const held_key_set>>;

// Fetches that unknown key ids may cause: so many in a row, then one in each pause. A fetch brings all keys of the
// issuer, so invented ids never keep a new key away for longer than one pause and one fetch.
inline constexpr int unknown_key_fetches = 3;
inline constexpr std::chrono::seconds unknown_key_pause{10};

// A key id that a fetch did not bring is refused for this time. A signature that does not fit its key causes at most
// one fetch in the same time.
inline constexpr std::chrono::seconds unknown_key_memory{60};

}  // namespace photofinish::gateway
