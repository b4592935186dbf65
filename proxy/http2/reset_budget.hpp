// Limits how often the streams of one HTTP/2 connection may be reset. [pure]
// It takes events and a time, and returns figures. Servers count resets, and close the whole connection of a peer that
// looks like a rapid-reset attacker (CVE-2023-44487), including the winners on it.
// docs/decisions/0009-http2-upstream.md explains the figures.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <cstddef>
#include <vector>

namespace photofinish::proxy {

struct reset_limits {
  std::size_t per_second = 5;    // resets in any second
  double share = 0.4;            // resets per stream so far, where at least `share_from` streams are assumed
  std::size_t share_from = 50;   // makes the first 20 resets exempt from the share
  std::size_t retire_at = 200;   // resets after which no new stream begins
  std::size_t max_streams = 25;  // streams at a time: all of them can be reset within 5 s
};

// Each stream that may still lose its race keeps a reset in reserve, so that a loser's reset never waits. Only a stream
// whose client leaves after it has settled may have to wait.
class reset_budget {
 public:
  explicit reset_budget(reset_limits limits = {});

  void stream_began() { ++streams_, ++at_risk_; }
  void stream_settled() { --at_risk_; }         // its answer has begun or it ended, so no race resets it any more
  void stream_is_owed_a_reset() { ++at_risk_; }  // the stream had already settled
  void stream_was_reset(instant now);            // the stream was at risk

  // How many more streams may begin.
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
  std::vector<instant> last_resets_;  // the last per_second resets, as a ring
  std::size_t oldest_ = 0;
  std::size_t streams_ = 0;
  std::size_t resets_ = 0;
  std::size_t at_risk_ = 0;
};

// Decides whether HTTP/2 suits a target. A cancelled attempt costs a connection with HTTP/1.1, but with HTTP/2 it costs
// a reset, which a server may hold against us. Therefore enough of the recent attempts must succeed.
class cancel_share {
 public:
  void attempt_ended(instant now) { count(attempts_, now); }
  void attempt_cancelled(instant now) {
    count(attempts_, now);
    count(cancelled_, now);
  }

  // Remembers its last result: between the two limits the result does not change.
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
