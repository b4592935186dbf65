// Whether connections dialed ahead do good at one origin, or harm. [pure] Times come in, a verdict goes out.
// Some servers give each connection a thread out of a small pool for as long as it is open (llama.cpp's is one). Spares
// hold those threads, and a request on another new connection lies unread until a spare is given up: seconds, to save
// a dial of less than a millisecond.
#pragma once

#include "proxy/pool/recent_rate.hpp"

#include <chrono>

namespace photofinish::proxy {

// The request that an answer is to: the first on its connection, dialed ahead or for it, or one after others, which has
// the server's attention already.
enum class connection_life { first_request, served_before };

class prewarm_policy {
 public:
  using duration = std::chrono::steady_clock::duration;

  // The first byte of an answer came that long after its request. `dial`: what a spare saves there.
  void answered(connection_life life, duration took, duration dial, instant now);

  // No byte had come when the request was given up, as losers of a race are.
  void gave_up(connection_life life, duration waited, duration dial, instant now);

  // No spares now, and none are kept.
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
  // The quickest answer of this minute and of the one before: what lateness is measured from.
  duration quickest_ = duration::max();
  duration quickest_before_ = duration::max();
  instant minute_began_{};
  instant harmful_until_{};
};

}  // namespace photofinish::proxy
