// Limits that providers have named, as gateways share them by a store: those to be sent, and those that were read.
// [pure]
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

  // A limit that a provider has named, of a configured key. False: it is another failure, which stays here.
  bool note(const racing::attempt_sample& failed, racing::instant now);

  // --- a round: the limits to send, and those that the store answers with
  ends take_noted() { return std::exchange(noted_, {}); }
  void return_noted(ends sent) { noted_.merge(sent); }  // they were not sent; newer ones stay
  static store_names::cooling lengths(const ends& sent, racing::instant now);
  bool take(const store_names::cooling& heard, racing::instant now);  // true: a limit has changed

  void forget() { cooling_.clear(); }  // another store
  // Adds the limits that this gateway and others have noted.
  void add_to(racing::scoreboard& board, racing::instant now) const;

 private:
  ends noted_;    // that the store does not have yet
  ends cooling_;  // as it was read last
};

}  // namespace photofinish::gateway
