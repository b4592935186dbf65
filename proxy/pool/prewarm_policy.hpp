// Decides whether connections that are dialed ahead help or harm at one origin. [pure]
// Times come in, a verdict goes out. Some servers, for example llama.cpp, give each connection a thread from a small
// pool for as long as it is open. Spares occupy those threads, and a request on another new connection stays unread
// until a spare is closed. This costs seconds and saves a dial of less than a millisecond.
#pragma once

#include "proxy/pool/recent_rate.hpp"

#include <chrono>

namespace photofinish::proxy {

// first_request: the first one on its connection, which was dialed ahead or for it. served_before: the server already
// pays attention to the connection.
enum class connection_life { first_request, served_before };

class prewarm_policy {
 public:
  using duration = std::chrono::steady_clock::duration;

  // The first byte of an answer arrived that long after its request. `dial` is the time that a spare saves.
  void answered(connection_life life, duration took, duration dial, instant now);

  // The request was given up before any byte arrived, as losers of a race are.
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
  // The quickest answer of this minute and of the one before. Lateness is measured from it.
  duration quickest_ = duration::max();
  duration quickest_before_ = duration::max();
  instant minute_began_{};
  instant harmful_until_{};
};

}  // namespace photofinish::proxy
