// Estimates the level of a target, which is the logarithm of its usual time to the first token, and detects jumps of
// this level. The level follows slow changes. Two sums (CUSUM) of the deviations above and below the usual time detect
// a jump after a few samples. Only the samples since the jump then determine the new level. The same rule detects a
// slowdown and its end. If several callers use the target, a single caller can neither move the level much nor cause a
// jump: its samples together have at most as much weight as the samples of all other callers. [pure]
#pragma once

#include "racing/forecast/attempt_event.hpp"
#include "racing/forecast/ttft_shape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

struct level_sample {
  // The logarithm of the time to the first token, without the effects of the prompt and of other running attempts. If
  // the attempt was cancelled, this is the expected value.
  double log_time = 0;
  caller_id caller = 0;
  // How much information the sample contains. It is 1 if there was a first token. If the attempt was cancelled, it is
  // the share of attempts that have answered after this time.
  double information = 1;
  // The probability that the attempt would never have answered. Such an attempt says nothing about the usual time.
  double doubt = 0;
};

class level {
 public:
  // Deviations from the usual time are summed. The first number is the sum at which a jump of the usual time is
  // detected. A jump lasts until the next jump. The second number is the sum at which a temporary slowdown is detected.
  // It is smaller, because a slowdown ends by itself when the attempts are no longer silent.
  static constexpr double jump_alarm = 5, early_shift = 3.5;

  // Assumes the usual time of the best known target. Call this function before the first sample.
  void assume(double log_seconds);

  void add(const level_sample& sample, const survival_curve& shape, double seconds_since_last);
  // Shifts the level and all stored samples by the same amount. Call this function if the estimated effect of prompt
  // sizes has changed.
  void move(double by);

  // Returns by how much the level (logarithm of the usual time) is temporarily higher, because attempts are silent now.
  // Estimates when these attempts will answer, and adds the deviations from the usual time to the sum of earlier
  // deviations. Returns 0 if this sum is at most `least`.
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
  double n_ = 0;  // effective number of samples in the estimate; samples lose their weight within ten minutes
  double up_ = 0, down_ = 0;
  // `up_` and `down_` are the sums of deviations above and below the usual time. These are the numbers of samples since
  // each sum was last 0.
  std::size_t up_run_ = 0, down_run_ = 0;
  std::array<entry, kept> entries_{};
  std::size_t next_ = 0;
  std::array<caller_id, crowd> callers_{};
  std::uint64_t samples_ = 0, jumps_up_ = 0, jumps_down_ = 0;
};

}  // namespace photofinish::racing
