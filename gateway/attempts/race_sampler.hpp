// Chooses the races that the live page shows. The page shows only as many races per second as a person can follow. This
// limit applies to the races of all workers together. [pure]
#pragma once

#include "racing/race_report.hpp"

#include <algorithm>
#include <chrono>

namespace photofinish::gateway {

// Chooses races for the live page. Each worker has its own sampler.
class race_sampler {
 public:
  // Sets how many races per second the open live pages show. The value 0 means that no page is open.
  void open(double per_second) { per_second_ = std::max(per_second, 0.0); }

  bool is_open() const { return per_second_ > 0; }

  // Returns true if the live page shows the race. `is_pages_own` is true if a person has sent the request on the live
  // page. Such requests have a separate limit.
  bool takes(racing::instant now, bool is_pages_own) {
    if (!is_open()) return false;
    return (is_pages_own && pages_own_.take(now, most_of_pages)) || usual_.take(now, per_second_);
  }

 private:
  // The maximum number of races shown per second, for requests that were sent on live pages.
  static constexpr double most_of_pages = 4;

  // The number of races that may be shown now. The number grows steadily up to the limit per second, or up to one if
  // the limit is lower than one.
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

  double per_second_ = 0;  // the maximum number of races shown per second; 0 if no live page is open
  allowance usual_, pages_own_;
};

}  // namespace photofinish::gateway
