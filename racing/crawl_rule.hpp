// Decides whether the text of an answer arrives too slowly. The speed is measured over the last `window`. Only time in
// which the model should have sent text counts. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

namespace photofinish::racing {

class crawl_rule {
 public:
  // `window` must be positive. As long as less time than the window has been measured, is_crawling() returns false.
  crawl_rule(double min_tokens_per_second, std::chrono::nanoseconds window);

  // Adds the time since the last call and the tokens that arrived in this time. Leave out time in which the model need
  // not send text, together with the tokens of this time. Call this function about `looks` times per window. The number
  // of stored parts then stays close to `looks`.
  void passed(std::chrono::nanoseconds due, std::uint64_t tokens);

  // True if the answer was measured for a whole window and was slower than the minimum speed in this window.
  bool is_crawling() const;
  double tokens_per_second() const;  // speed of the answer in the last window
  std::chrono::nanoseconds watched() const { return due_; }

  // The number of checks per window. A slow answer is therefore detected at most a tenth of the window too late.
  static constexpr int looks = 10;

 private:
  struct part {
    std::chrono::nanoseconds due{0};
    std::uint64_t tokens = 0;
  };

  double limit_;
  std::chrono::nanoseconds window_;
  // The window is divided into parts. Each part except the last one is at least a tenth of the window.
  std::deque<part> parts_;
  std::chrono::nanoseconds due_{0};
  std::uint64_t tokens_ = 0;
};

}  // namespace photofinish::racing
