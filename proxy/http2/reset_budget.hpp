// Limits how often the streams of one HTTP/2 connection may be reset. Its input is events and times, and it returns
// numbers. Servers count resets. If a peer looks like a rapid-reset attacker (CVE-2023-44487), the server closes the
// whole connection, and the winners on it fail. docs/decisions/0009-http2-upstream.md explains the numbers. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <cstddef>
#include <vector>

namespace photofinish::proxy {

struct reset_limits {
  std::size_t per_second = 5;    // the maximum number of resets in any second
  double share = 0.4;            // maximum share of reset streams among all streams so far
  // If a connection has had fewer streams than this number, the share is computed from this number instead, so that 20
  // resets are always allowed.
  std::size_t share_from = 50;
  std::size_t retire_at = 200;   // after this number of resets, no new stream begins
  std::size_t max_streams = 25;  // maximum number of open streams; all of them can be reset within 5 s
};

// Counts the resets that one connection may still send. Each stream that may still lose its race keeps one reset in
// reserve, so that the reset of a loser never has to wait. A reset can only be delayed if a client leaves after the
// stream's race was decided.
class reset_budget {
 public:
  explicit reset_budget(reset_limits limits = {});

  void stream_began() { ++streams_, ++at_risk_; }
  // Call this if the stream ended or its answer began. The stream then no longer needs a reset when its race is
  // decided.
  void stream_settled() { --at_risk_; }
  void stream_is_owed_a_reset() { ++at_risk_; }  // call this function only after stream_settled()
  void stream_was_reset(instant now);            // call this function only before stream_settled(), or after
                                                 // stream_is_owed_a_reset()

  // Returns how many more streams may begin on the connection.
  std::size_t headroom(instant now) const;
  // Returns the time before which no stream may begin, even if other streams end sooner.
  instant rests_until() const { return is_spent() ? instant::max() : may_reset_at(); }
  // True if no more streams may begin on this connection.
  bool is_spent() const { return resets_ >= limits_.retire_at || resets_ + 1 > share_allows(streams_ + 1); }

  bool may_reset(instant now) const { return now >= may_reset_at(); }
  instant may_reset_at() const;  // time of the next allowed reset; in the past if a reset is allowed now

  std::size_t resets() const { return resets_; }
  std::size_t streams() const { return streams_; }
  std::size_t max_streams() const { return limits_.max_streams; }

 private:
  std::size_t share_allows(std::size_t streams) const;

  reset_limits limits_;
  std::vector<instant> last_resets_;  // times of the last resets, as a ring buffer with per_second entries
  std::size_t oldest_ = 0;
  std::size_t streams_ = 0;
  std::size_t resets_ = 0;
  std::size_t at_risk_ = 0;
};

// Decides whether HTTP/2 suits a target. Cancelling an attempt costs a whole connection with HTTP/1.1. In HTTP/2,
// cancelling only resets a stream, but resets may make a server suspect an attack. HTTP/2 is therefore used only if
// enough of the recent attempts are not cancelled.
class cancel_share {
 public:
  void attempt_ended(instant now) { count(attempts_, now); }
  void attempt_cancelled(instant now) {
    count(attempts_, now);
    count(cancelled_, now);
  }

  // Returns true if HTTP/2 suits the target. The share of cancelled attempts has an upper and a lower limit. If the
  // share is between the limits, the function returns its last result.
  bool suits_http2(instant now);
  double value(instant now) const;
  bool is_forgotten(instant now) const { return suits_ && attempts_.faded(now) < 0.1; }

 private:
  struct decaying {
    double value = 0;
    instant at{};
    double faded(instant now) const;
  };
  static void count(decaying& what, instant now) { what = {what.faded(now) + 1, now}; }

  decaying attempts_;
  decaying cancelled_;
  bool suits_ = true;
};

}  // namespace photofinish::proxy
