// Chooses the races that the live page shows. The page shows as many races per second as a person can follow, divided
// among the workers. [pure]
#pragma once

#include "racing/race_report.hpp"

#include <algorithm>
#include <chrono>

namespace photofinish::gateway {

// Chooses races for the live page. A sampler belongs to one worker.
class race_sampler {
 public:
  // Sets the number of races per second that open pages show. 0 means that no page is open any more.
  void open(double per_second) { per_second_ = std::max(per_second, 0.0); }

  bool is_open() const { return per_second_ > 0; }

  // Returns true if the live page shows the race. `is_pages_own` says that the page itself sent the request for a
  // person who waits for the answer. Such requests have an allowance of their own.
  bool takes(racing::instant now, bool is_pages_own) {
    if (!is_open()) return false;
    return (is_pages_own && pages_own_.take(now, most_of_pages)) || usual_.take(now, per_second_);
  }

 private:
  // The limit of shown races per second among the requests that live pages send themselves.
  static constexpr double most_of_pages = 4;

  // The number of races that may be shown now. It grows with time up to the number of races per second, but at least to
  // one race.
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

  double per_second_ = 0;  // the limit of shown races per second; 0 if no live page is open
  allowance usual_, pages_own_;
};

}  // namespace photofinish::gateway
