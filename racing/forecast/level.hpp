// The logarithm of a target's present time to the first token, and the jumps of this level. [pure] The level follows
// drift slowly. Two sums (CUSUM) of the deviations above and below the usual time detect a jump within a few samples.
// The samples since the jump alone set the new level. The same rule detects a slowdown and the recovery from the
// slowdown. If several callers use the target, a single caller can neither move the level much nor make it jump: its
// samples together weigh no more than the samples of all other callers.
#pragma once

#include "racing/forecast/attempt_event.hpp"
#include "racing/forecast/ttft_shape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

struct level_sample {
  // The logarithm of the time to the first token, without the effects of the prompt and the load. For a cut attempt
  // this is the expected value.
  double log_time = 0;
  caller_id caller = 0;
  // The information in the sample: 1 if the token was seen; for a cut attempt the share of attempts that have answered
  // by then.
  double information = 1;
  // The probability that the attempt was dead, not slow. A dead attempt shows nothing about the level.
  double doubt = 0;
};

class level {
 public:
  // The sums of deviations at which a jump and an early shift are detected. A jump lasts until the next jump. A shift
  // ends when the attempts are no longer silent, so it may begin with less evidence.
  static constexpr double jump_alarm = 5, early_shift = 3.5;

  // Assumes the level of the best known target. Call this function before the first sample.
  void assume(double log_seconds);

  void add(const level_sample& sample, const survival_curve& shape, double seconds_since_last);
  void move(double by);  // moves the level; call this if the prompt's effect has changed, which shifts earlier values

  // Returns the temporary increase of the level because of the attempts that are silent now. The increase is 0 unless
  // the sum of deviations, with the deviations that are expected for these attempts, is above `least`.
  double shift_by(std::span<const double> silent_residuals, const survival_curve& shape,
                  double least = jump_alarm) const;

  double value() const { return value_; }
  double surprise_down() const { return down_; }  // evidence that the target has become faster
  std::uint64_t samples() const { return samples_; }
  std::uint64_t jumps_up() const { return jumps_up_; }
  std::uint64_t jumps_down() const { return jumps_down_; }

 private:
  static constexpr std::size_t kept = 16;
  static constexpr std::size_t crowd = 32;
  struct entry { double log_time = 0, z = 0; caller_id caller = 0; };

  void begin(const level_sample& sample, double middle);
  void watch(const level_sample& sample, double z, double middle);
  bool has_support(std::size_t run, double direction) const;
  caller_id busiest_of(std::size_t count) const;
  bool is_shared() const;
  void jump(std::size_t run, double middle);
  double weight_of(caller_id caller) const;
  const entry& back(std::size_t steps) const { return entries_[(next_ + 2 * kept - 1 - steps) % kept]; }

  double value_ = 0;
  double n_ = 0;  // number of samples that support the level; it fades within ten minutes
  double up_ = 0, down_ = 0;
  std::size_t up_run_ = 0, down_run_ = 0;  // number of samples since up_ was 0, and since down_ was 0
  std::array<entry, kept> entries_{};
  std::size_t next_ = 0;
  std::array<caller_id, crowd> callers_{};
  std::uint64_t samples_ = 0, jumps_up_ = 0, jumps_down_ = 0;
};

}  // namespace photofinish::racing
