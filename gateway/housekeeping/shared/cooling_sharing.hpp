// Limits that providers have reported, as gateways share them through a store: limits that must be sent, and limits
// that were read. [pure]
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

  // Records a limit that a provider has reported for a configured key. Returns false if the failure is of another kind;
  // such failures are not shared.
  bool note(const racing::attempt_sample& failed, racing::instant now);

  // --- a round: the limits to send, and the limits in the store's answer
  ends take_noted() { return std::exchange(noted_, {}); }
  // Call this if the limits could not be sent; limits noted since then are kept.
  void return_noted(ends sent) { noted_.merge(sent); }
  static store_names::cooling lengths(const ends& sent, racing::instant now);
  bool take(const store_names::cooling& heard, racing::instant now);  // true if a limit in the store has changed

  void forget() { cooling_.clear(); }  // call forget() if another store is configured
  // Adds the limits that this gateway and other gateways have noted.
  void add_to(racing::scoreboard& board, racing::instant now) const;

 private:
  ends noted_;    // limits that must be sent to the store
  ends cooling_;  // limits as they were last read from the store
};

}  // namespace photofinish::gateway
