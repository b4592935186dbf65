// Characters that a provider cuts in two: the first half of a surrogate pair ends one delta, and the second half begins
// the next one. JSON alone can hold a half. Clients get the whole character. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace photofinish::proxy {

// One for each stream. A first half is kept until its text goes on. It becomes U+FFFD if no second half follows, if the
// choice speaks in another way, or if it ends.
class split_pairs {
 public:
  // `halves`: those of the event's texts. `is_last`: no event with deltas follows. Changes the deltas only if a half is
  // kept or came; the new deltas live until the next call.
  void join(stream_event& event, const edge_halves& halves, bool is_last = false) {
    if (!kept_.empty() || !halves.empty()) rewrite(event, halves, is_last);
  }
  bool is_keeping() const { return !kept_.empty(); }

 private:
  struct kept_half {
    delta_kind kind;
    std::int64_t choice, part;
    unsigned unit;
    bool operator==(const kept_half&) const = default;
  };

  void rewrite(stream_event& event, const edge_halves& halves, bool is_last);
  void add(const delta& each, text_halves its);
  void give_up_before(const delta& next);
  void give_up(const kept_half& half);
  unsigned take_kept(const delta& next);

  std::vector<kept_half> kept_;
  std::vector<delta> deltas_;
  std::list<std::string> texts_;
};

}  // namespace photofinish::proxy
