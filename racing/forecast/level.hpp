// Where a target's time to the first token stands now, as a logarithm, and when it has jumped. [pure]
// A slow step follows drift; two sums (CUSUM) of how far samples lie above and below the usual find a jump in a few
// samples, and set the level anew from those alone. One rule leaves a target that slows down and returns to it.
// One caller of several neither moves the level much nor makes it jump: its samples weigh no more than all others'.
#pragma once

#include "racing/forecast/attempt_event.hpp"
#include "racing/forecast/ttft_shape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace photofinish::racing {

struct level_sample {
  double log_time = 0;  // of the first token, less the prompt's and the load's part; of a cut one what is expected
  caller_id caller = 0;
  double information = 1;  // 1: seen; of a cut one the share that would have answered by then
  double doubt = 0;        // how surely it was dead, not slow: so much of it says nothing about the level
};

class level {
 public:
  // Until the first sample: what the best known target has.
  void assume(double log_seconds);

  void add(const level_sample& sample, const survival_curve& shape, double seconds_since_last);
  void move(double by);  // the prompt's part has changed: values before it lie elsewhere

  // How much higher the level counts because of attempts that are silent now: their expected residuals.
  double shift_by(std::span<const double> silent_residuals, const survival_curve& shape) const;

  double value() const { return value_; }
  double surprise_down() const { return down_; }  // it may have become faster
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
  double n_ = 0;  // what the level rests on, in samples; fades in ten minutes
  double up_ = 0, down_ = 0;
  std::size_t up_run_ = 0, down_run_ = 0;  // samples since that sum was 0
  std::array<entry, kept> entries_{};
  std::size_t next_ = 0;
  std::array<caller_id, crowd> callers_{};
  std::uint64_t samples_ = 0, jumps_up_ = 0, jumps_down_ = 0;
};

}  // namespace photofinish::racing
