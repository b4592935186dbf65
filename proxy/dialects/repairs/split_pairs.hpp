// Joins characters that a provider has split between two deltas. [pure] One delta ends with the first half of a
// surrogate pair, and the next delta begins with the second half. Half a pair can be written only as a JSON escape, so
// clients get the complete character instead.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace photofinish::proxy {

// Each stream has its own object of this class, which stores the first half of a pair until the text continues. The
// half becomes U+FFFD if no second half follows, if the choice ends, or if the choice continues with another kind of
// text.
class split_pairs {
 public:
  // Joins halves of characters in the texts of an event. `halves` describes the halves in these texts. `is_last` is
  // true if no later event has deltas. If the texts contain a half, or if a half is stored, the event gets new deltas,
  // which are valid until the next call.
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
