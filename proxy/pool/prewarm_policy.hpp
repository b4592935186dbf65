// Decides whether connections that are dialed ahead help or harm at one origin. [pure] Some servers, for example
// llama.cpp, give each connection a thread from a small pool for as long as it is open. Spares occupy those threads,
// and a request on another new connection stays unread until a spare is closed. Such a wait costs seconds, and a spare
// saves a dial of less than a millisecond.
#pragma once

#include "proxy/pool/recent_rate.hpp"

#include <chrono>

namespace photofinish::proxy {

// Says if a request is the first one on its connection, or if the connection has served before. A server already pays
// attention to a connection that has served.
enum class connection_life { first_request, served_before };

class prewarm_policy {
 public:
  using duration = std::chrono::steady_clock::duration;

  // Call this when an answer's first byte arrived, `took` after its request. `dial` is the time that a spare saves.
  void answered(connection_life life, duration took, duration dial, instant now);

  // Call this if a request was given up before any byte of its answer arrived, as losers of a race are.
  void gave_up(connection_life life, duration waited, duration dial, instant now);

  // True if no spares may be dialed or kept now.
  bool is_harmful(instant now) const { return now < harmful_until_; }

 private:
  struct class_of_answers {
    recent_rate all;
    recent_rate late;
    double late_share(instant now) const;
  };

  bool is_late(duration took, duration dial, instant now) const;
  void count(connection_life life, bool was_late, instant now);
  void judge(instant now);
  void note_quickest(duration took, instant now);

  class_of_answers first_;
  class_of_answers served_;
  // The quickest answers of this minute and of the previous one. An answer's lateness is measured from them.
  duration quickest_ = duration::max();
  duration quickest_before_ = duration::max();
  instant minute_began_{};
  instant harmful_until_{};
};

}  // namespace photofinish::proxy
