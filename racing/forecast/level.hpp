// A target's current time to the first token, as a logarithm, and its jumps. [pure]
// A slow step follows drift. Two sums (CUSUM) of the deviations above and below the usual time detect a jump within a
// few samples; the level is then set from those samples only. The same rule notices both a slowdown and the recovery.
// One caller of several can neither move the level much nor make it jump: its samples together weigh no more than all
// other callers' samples.
#pragma once

#include "racing/forecast/attempt_event.hpp"
#include "racing/forecast/ttft_shape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

struct level_sample {
  // The first token's time without the prompt's and the load's part; the expected value for a cut attempt.
  double log_time = 0;
  caller_id caller = 0;
  double information = 1;  // 1: the token was seen; for a cut attempt the share that would have answered by then
  double doubt = 0;        // probability that the attempt was dead, not slow: that part says nothing about the level
};

class level {
 public:
  // Alarm limits for the sum of deviations. A jump stays until the next jump. A shift ends together with the silence,
  // so it may begin sooner.
  static constexpr double jump_alarm = 5, early_shift = 3.5;

  // Before the first sample: assumes the level of the best known target.
  void assume(double log_seconds);

  void add(const level_sample& sample, const survival_curve& shape, double seconds_since_last);
  void move(double by);  // call this if the prompt's part changed, which shifts earlier values

  // How much higher the level counts because of attempts that are silent now, from their expected residuals. They
  // count as soon as the sum of deviations reaches `least`.
  double shift_by(std::span<const double> silent_residuals, const survival_curve& shape,
                  double least = jump_alarm) const;

  double value() const { return value_; }
  double surprise_down() const { return down_; }  // evidence that it has become faster
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
  double n_ = 0;  // weight of the level's evidence, in samples; fades in ten minutes
  double up_ = 0, down_ = 0;
  std::size_t up_run_ = 0, down_run_ = 0;  // samples since that sum was 0
  std::array<entry, kept> entries_{};
  std::size_t next_ = 0;
  std::array<caller_id, crowd> callers_{};
  std::uint64_t samples_ = 0, jumps_up_ = 0, jumps_down_ = 0;
};

}  // namespace photofinish::racing
