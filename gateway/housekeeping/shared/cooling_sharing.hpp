// Cooldowns of providers that have reported a rate limit. Gateways share them through a store. This class keeps the
// cooldowns that must be sent to the store, and the cooldowns that were read from it. [pure]
#pragma once

#include "gateway/store/store_scripts.hpp"
#include "racing/cooldowns.hpp"
#include "racing/scoreboard.hpp"

#include <map>
#include <utility>

namespace photofinish::gateway {

class cooling_sharing {
 public:
  using ends = std::map<racing::candidate_id, racing::instant>;

  // Records the cooldown of a failed attempt. Returns false unless the failure is a rate limit that a provider has
  // reported for a configured key, because only such cooldowns are shared.
  bool note(const racing::attempt_sample& failed, racing::instant now);

  // --- exchange with the store: the cooldowns to send, and the cooldowns in the store's answer
  ends take_noted() { return std::exchange(noted_, {}); }
  // Puts back cooldowns that could not be sent to the store. If a newer cooldown of the same target is already
  // waiting, the newer cooldown remains.
  void return_noted(ends sent) { noted_.merge(sent); }
  static store_names::cooling lengths(const ends& sent, racing::instant now);
  // Replaces the known cooldowns with the cooldowns in the store's answer. Returns true if they differ.
  bool take(const store_names::cooling& heard, racing::instant now);

  // Drops the cooldowns that were read from the store. Call this if another store is configured.
  void forget() { cooling_.clear(); }
  // Adds to the scoreboard the cooldowns that this gateway and other gateways have recorded.
  void add_to(racing::scoreboard& board, racing::instant now) const;

 private:
  ends noted_;    // the cooldowns that must be sent to the store
  ends cooling_;  // the cooldowns that were last read from the store
};

}  // namespace photofinish::gateway
