// Decides whether spares, which are connections opened in advance, help or harm at one origin. Some servers, for
// example llama.cpp, have a small pool of threads. Each connection occupies one thread for as long as it is open, and
// so does a spare. A request on another new connection is then not read until a spare is closed. Such a wait takes
// seconds, whereas a spare saves less than a millisecond at these servers. [pure]
#pragma once

#include "proxy/pool/recent_rate.hpp"

#include <chrono>

namespace photofinish::proxy {

// Distinguishes the first request on a connection from later requests. A server with few threads may be slow to read
// the first request. On a later request, a thread of the server already serves the connection.
enum class connection_life { first_request, served_before };

class prewarm_policy {
 public:
  using duration = std::chrono::steady_clock::duration;

  // Call this function when an answer's first byte has arrived. `took` is the time since the request was sent. `dial`
  // is the usual time to open a connection.
  void answered(connection_life life, duration took, duration dial, instant now);

  // Call this function if a request was given up before the first byte of its answer arrived, like the losers of a
  // race.
  void gave_up(connection_life life, duration waited, duration dial, instant now);

  // True if at this time no spare connections may be opened or kept.
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
  // The time to the first byte of the quickest answer in this minute, and in the previous minute. An answer is late if
  // it takes much longer than the quickest answer.
  duration quickest_ = duration::max();
  duration quickest_before_ = duration::max();
  instant minute_began_{};
  instant harmful_until_{};
};

}  // namespace photofinish::proxy
