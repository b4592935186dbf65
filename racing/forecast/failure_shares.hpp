// The recent share of a target's attempts that fail, and the share of attempts that never answer. [pure] If only one of
// several callers has failures or silences, the caller itself may cause them. All of its failures and silences then
// count as one.
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
  // Adds an attempt that was cut. `alive` is the share of answering attempts that are silent for longer. Returns the
  // probability that the attempt would never have answered.
  double cut(instant at, double alive, caller_id caller = 0);

  // Computes the shares at the time `now`. `fading` is the number of seconds in which an outcome loses most of its
  // weight. `silent` has an entry for each attempt that is silent now: the share of answering attempts that are silent
  // for at least the same time.
  void weigh(instant now, double fading, std::span<const double> silent);

  double error_share() const { return error_share_; }  // share of failing attempts when weigh() was last called
  double hang_share() const { return hang_share_; }

 private:
  static constexpr std::size_t kept = 16;
  struct outcome {
    instant at{};
    double error = 0;
    double dead = 0;
    bool says_dead = false;  // false for early cuts, which do not show whether the attempt would have answered
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
