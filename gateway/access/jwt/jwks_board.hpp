// The keys of identity providers in the form that workers read: an immutable snapshot.
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
  std::shared_ptr<const key_set> keys;  // the issuer's keys; null if the gateway does not have them yet
  std::uint64_t tries = 0;              // the number of completed fetches, including failed fetches
  proxy::instant tried_at{};            // the time when the last fetch finished
  std::string trouble;                  // the reason why the last fetch failed; empty if it succeeded
  proxy::instant began_at{};            // the time when the last successful fetch began
  proxy::instant next_fetch_at{};       // the earliest time at which an unknown key may cause another fetch
};

// The key sets of all issuers, in no particular order.
using jwks_board = std::vector<std::shared_ptr<const held_key_set>>;

// The number of fetches that unknown key ids may cause without a pause. After that, unknown key ids cause at most one
// fetch per pause. A fetch returns all keys of the issuer. Therefore requests with invented ids delay a new key by at
// most one pause and one fetch.
inline constexpr int unknown_key_fetches = 3;
inline constexpr std::chrono::seconds unknown_key_pause{10};

// The time for which a key id stays refused after a fetch did not return it. In the same period, tokens with invalid
// signatures can cause at most one fetch.
inline constexpr std::chrono::seconds unknown_key_memory{60};

}  // namespace photofinish::gateway
