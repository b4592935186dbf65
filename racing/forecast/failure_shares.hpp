// Which share of a target's attempts fails, and which share never answers, of late. [pure]
// What only one of several callers has met may be that caller's doing: all of its failures and silences count as one.
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
  // Cut while a share `alive` of those that answer would still have been silent. Returns how surely it was dead.
  double cut(instant at, double alive, caller_id caller = 0);

  // Weighs it all as of now. `fading`: seconds in which an outcome loses most of its weight; `silent`: of each attempt
  // that is silent now, the share of those that answer which would still be silent.
  void weigh(instant now, double fading, std::span<const double> silent);

  double error_share() const { return error_share_; }  // as of the last weighing
  double hang_share() const { return hang_share_; }

 private:
  static constexpr std::size_t kept = 16;
  struct outcome {
    instant at{};
    double error = 0;
    double dead = 0;
    bool says_dead = false;  // a cut that came early does not say whether it would have answered
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
