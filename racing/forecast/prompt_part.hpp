// How much of a target's time to the first token its prompt takes: TTFT is as 1 + rho x input tokens. [pure]
// One slope for the target, the best of ten; offsets by size would mistake a slow provider for a long prompt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace photofinish::racing {

class prompt_part {
 public:
  // Of the slope in use, as a logarithm.
  double log_part(double input_tokens) const;
  double rho() const { return per_token(chosen_); }

  // Takes one time; returns by how much the level must move because the slope has changed, mostly 0.
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
