// Estimates how the size of a prompt affects a target's time to the first token. This time is assumed to be
// proportional to 1 + rho x input tokens. Each target has one slope rho, the best of ten values. Separate estimates for
// each class of prompt sizes would be worse: they could mistake a slow provider for long prompts. [pure]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace photofinish::racing {

class prompt_part {
 public:
  // Returns the logarithm of the factor by which a prompt of this size increases the time to the first token, according
  // to the current estimate.
  double log_part(double input_tokens) const;
  double rho() const { return per_token(chosen_); }

  // Adds a measured time. Returns 0 in most cases. If the estimated effect of prompt sizes has changed, returns by how
  // much the level (logarithm of the usual time) must change.
  double add(double log_time, double input_tokens);

 private:
  static constexpr std::array<double, 10> per_thousand{0, .003, .01, .03, .06, .12, .25, .5, 1, 2};
  static double per_token(std::size_t index) { return per_thousand[index] / 1'000; }

  struct line { double mean = 0, loss = 0; };
  std::array<line, per_thousand.size()> lines_{};
  std::uint64_t samples_ = 0;
  std::size_t chosen_ = 0;
};

}  // namespace photofinish::racing
