// Random numbers from a seed. The same seed gives the same numbers on every machine and with every standard library.
// [pure]
#pragma once

#include <cmath>
#include <cstdint>

namespace photofinish::gateway {

// Mixes a seed and a number by splitmix64, so that consecutive numbers give unrelated results.
constexpr std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t mixed = seed + (number + 1) * 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

class chance {
 public:
  explicit chance(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t next() { return mixed_seed(seed_, drawn_++); }
  // Returns a number below `limit`. The result is slightly biased. The limits are so small that the bias is negligible.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  // Returns a number that is at least 0 and below 1.
  double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double exponential(double mean) { return -mean * std::log1p(-fraction()); }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

}  // namespace photofinish::gateway
