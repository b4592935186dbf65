// Which races the live page shows: so many a second as eyes can follow, of each worker its share. [pure]
#pragma once

#include "racing/race_report.hpp"

#include <algorithm>
#include <chrono>

namespace photofinish::gateway {

// One worker's.
class race_sampler {
 public:
  void open(double per_second) { per_second_ = std::max(per_second, 0.0); }  // 0: no page is open any more

  bool is_open() const { return per_second_ > 0; }

  // `is_pages_own`: the page itself asks, for a person who waits to see it. These have an allowance of their own.
  bool takes(racing::instant now, bool is_pages_own) {
    if (!is_open()) return false;
    return (is_pages_own && pages_own_.take(now, most_of_pages)) || usual_.take(now, per_second_);
  }

 private:
  static constexpr double most_of_pages = 4;  // a second

  // Holds what one second brings, at least one.
  struct allowance {
    bool take(racing::instant now, double rate) {
      const double seconds = std::max(0.0, std::chrono::duration<double>(now - at).count());
      left = std::min(std::max(rate, 1.0), left + seconds * rate);
      at = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    }
    racing::instant at{};
    double left = 0;
  };

  double per_second_ = 0;  // 0: no page is open
  allowance usual_, pages_own_;
};

}  // namespace photofinish::gateway
