// Limits how often the streams of one HTTP/2 connection may be reset. [pure] Its input is events and times, and it
// returns figures. Servers count resets. If a peer looks like a rapid-reset attacker (CVE-2023-44487), the server
// closes the whole connection, including the winners on it. docs/decisions/0009-http2-upstream.md explains the figures.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <cstddef>
#include <vector>

namespace photofinish::proxy {

struct reset_limits {
  std::size_t per_second = 5;    // the maximum number of resets in any second
  double share = 0.4;            // the maximum share of reset streams among all streams so far
  std::size_t share_from = 50;   // the share assumes at least this many streams, so 20 resets are always allowed
  std::size_t retire_at = 200;   // no new stream begins after this number of resets
  std::size_t max_streams = 25;  // the maximum number of streams at a time, which can all be reset within 5 s
};

// The resets that one connection may still send. Each stream that may still lose its race keeps a reset in reserve, so
// that a loser's reset never waits. A reset has to wait only if a client leaves after its stream has settled.
class reset_budget {
 public:
  explicit reset_budget(reset_limits limits = {});

  void stream_began() { ++streams_, ++at_risk_; }
  // No race can reset the stream any more, because it ended or its answer began.
  void stream_settled() { --at_risk_; }
  void stream_is_owed_a_reset() { ++at_risk_; }  // call this only if the stream had already settled
  void stream_was_reset(instant now);            // call this only if the stream was still at risk

  // Returns how many more streams may begin on the connection.
  std::size_t headroom(instant now) const;
  // No stream may begin before this time, even if other streams settle or are reset.
  instant rests_until() const { return is_spent() ? instant::max() : may_reset_at(); }
  // True if no stream may ever begin again.
  bool is_spent() const { return resets_ >= limits_.retire_at || resets_ + 1 > share_allows(streams_ + 1); }

  bool may_reset(instant now) const { return now >= may_reset_at(); }
  instant may_reset_at() const;  // time of the next allowed reset; in the past if one is allowed now

  std::size_t resets() const { return resets_; }
  std::size_t streams() const { return streams_; }
  std::size_t max_streams() const { return limits_.max_streams; }

 private:
  std::size_t share_allows(std::size_t streams) const;

  reset_limits limits_;
  std::vector<instant> last_resets_;  // the times of the last per_second resets, as a ring
  std::size_t oldest_ = 0;
  std::size_t streams_ = 0;
  std::size_t resets_ = 0;
  std::size_t at_risk_ = 0;
};

// Decides whether HTTP/2 suits a target. A cancelled attempt costs a connection with HTTP/1.1, but a reset with HTTP/2,
// which may make a server suspect an attack. Therefore enough of the recent attempts must succeed.
class cancel_share {
 public:
  void attempt_ended(instant now) { count(attempts_, now); }
  void attempt_cancelled(instant now) {
    count(attempts_, now);
    count(cancelled_, now);
  }

  // Returns true if HTTP/2 suits the target. There are two limits. If the share is between them, the last
  // result is returned again.
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
