// Estimates the share of a target's attempts that fail, and the share that never answer. If only one of several callers
// has failed or silent attempts, the caller itself may be the cause. All of its failures then count as one. [pure]
#pragma once

#include "racing/forecast/attempt_event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

class failure_shares {
 public:
  void answered(instant at, caller_id caller = 0) { note({at, 0, 0, true, caller}); }
  void failed(instant at, caller_id caller = 0) { note({at, 1, 0, true, caller}); }
  // Adds an attempt that was cancelled. `alive` is the share of attempts that answer, but only after a longer silence.
  // Returns the probability that the cancelled attempt would never have answered.
  double cut(instant at, double alive, caller_id caller = 0);

  // Computes the share of failed attempts and the share of attempts that never answer, as of `now`. After `fading`
  // seconds, a result has lost most of its weight. `silent` contains one number for each attempt that is silent now:
  // the probability that an attempt which answers is silent for at least as long.
  void weigh(instant now, double fading, std::span<const double> silent);

  double error_share() const { return error_share_; }  // share of failed attempts, as of the last call of weigh()
  double hang_share() const { return hang_share_; }

 private:
  static constexpr std::size_t kept = 16;
  struct outcome {
    instant at{};
    double error = 0;
    double dead = 0;
    bool says_dead = false;  // false if the attempt was cancelled early, so that it is unknown whether it would have
                             // answered
    caller_id caller = 0;
  };
  struct sum { double of = 0, weight = 0; };

  static bool is_bad(const outcome& each);
  void note(const outcome& each);
  double dead(double alive) const;
  bool is_known_of(caller_id caller) const;
  sum errors(instant now, double fading) const;
  sum hangs(instant now, double fading, std::span<const double> silent) const;
  const outcome& back(std::size_t steps) const { return outcomes_[(next_ + 2 * kept - 1 - steps) % kept]; }

  std::array<outcome, kept> outcomes_{};
  std::size_t next_ = 0, count_ = 0;
  std::uint64_t samples_ = 0;
  double usual_error_ = 0.005, usual_hang_ = 0.005;
  double error_share_ = 0.005, hang_share_ = 0.005;
};

}  // namespace photofinish::racing
