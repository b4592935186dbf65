// Random values that depend only on a seed and on the given numbers, not on the racing policy or the order of calls.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace photofinish::racing {

class dice {
 public:
  explicit dice(std::initializer_list<std::uint64_t> names) {
    for (const std::uint64_t each : names) state_ = mix(state_ ^ (each + 0x9e3779b97f4a7c15));
  }

  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  double exponential() { return -std::log(uniform()); }

 private:
  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }
  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }

  std::uint64_t state_ = 0x243f6a8885a308d3;
};

}  // namespace photofinish::racing
