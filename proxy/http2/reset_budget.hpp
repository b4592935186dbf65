// How often streams of one HTTP/2 connection may be reset. [pure] Events and a time go in, figures come out.
// Servers count resets, and cut whole connections of whom they take for a rapid-reset attacker (CVE-2023-44487),
// the winners on them included. Where the figures come from: docs/decisions/0009-http2-upstream.md.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <cstddef>
#include <vector>

namespace photofinish::proxy {

struct reset_limits {
  std::size_t per_second = 5;     // in any second
  double share = 0.4;             // of all streams so far, counted as at least `share_from`
  std::size_t share_from = 50;    // so that the first 20 resets are free of the share
  std::size_t retire_at = 200;    // resets; then no new stream
  std::size_t max_streams = 25;   // at a time: all of them can be reset within 5 s
};

// Each stream that may still lose its race keeps a reset in reserve, so that a loser's reset never waits. Only a
// stream whose client leaves after it has settled may have to.
class reset_budget {
 public:
  explicit reset_budget(reset_limits limits = {});

  void stream_began() { ++streams_, ++at_risk_; }
  void stream_settled() { --at_risk_; }         // its answer has begun, or it ended: no race resets it any more
  void stream_is_owed_a_reset() { ++at_risk_; }  // after it had settled
  void stream_was_reset(instant now);            // one that was at risk

  // How many more streams may begin.
  std::size_t headroom(instant now) const;
  // Until then none, whatever settles or is reset meanwhile.
  instant rests_until() const { return is_spent() ? instant::max() : may_reset_at(); }
  // None will ever begin again.
  bool is_spent() const { return resets_ >= limits_.retire_at || resets_ + 1 > share_allows(streams_ + 1); }

  bool may_reset(instant now) const { return now >= may_reset_at(); }
  instant may_reset_at() const;  // when it next may; in the past when it may

  std::size_t resets() const { return resets_; }
  std::size_t streams() const { return streams_; }
  std::size_t max_streams() const { return limits_.max_streams; }

 private:
  std::size_t share_allows(std::size_t streams) const;

  reset_limits limits_;
  std::vector<instant> last_resets_;  // per_second of them, as a ring
  std::size_t oldest_ = 0;
  std::size_t streams_ = 0;
  std::size_t resets_ = 0;
  std::size_t at_risk_ = 0;
};

// Whether a target's recent attempts go well enough together with HTTP/2: those that are cancelled cost their
// connection HTTP/1.1, but HTTP/2 a reset that a server may hold against us.
class cancel_share {
 public:
  void attempt_ended(instant now) { count(attempts_, now); }
  void attempt_cancelled(instant now) {
    count(attempts_, now);
    count(cancelled_, now);
  }

  // Remembers what it said last: between the two limits nothing changes.
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
