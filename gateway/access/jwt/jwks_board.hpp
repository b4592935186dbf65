// The keys of identity providers in the form that workers see: an immutable snapshot.
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
  std::shared_ptr<const key_set> keys;  // the issuer's keys; null if none are known
  std::uint64_t tries = 0;              // the number of finished fetches, including failed ones
  proxy::instant tried_at{};            // the time when the last fetch finished
  std::string trouble;                  // the reason why there are no keys, or no newer keys
  proxy::instant began_at{};            // the start of the last fetch that returned keys
  proxy::instant next_fetch_at{};       // an unknown key may cause another fetch from this time on
};

// The key sets of all issuers, in any order.
using jwks_board = std::vector<std::shared_ptr<const held_key_set>>;

// The number of fetches in a row that unknown key ids may cause. After these, there is one fetch in each pause. A fetch
// returns all keys of the issuer, so invented ids never delay a new key by more than one pause and one fetch.
inline constexpr int unknown_key_fetches = 3;
inline constexpr std::chrono::seconds unknown_key_pause{10};

// The time for which a key id is refused after a fetch did not return it. A signature that does not fit its key causes
// at most one fetch in the same time.
inline constexpr std::chrono::seconds unknown_key_memory{60};

}  // namespace photofinish::gateway
