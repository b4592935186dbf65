// Decides whether an answer crawls: whether it has too few tokens in the last `window` of the time in which text was
// due. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

namespace photofinish::racing {

class crawl_rule {
 public:
  // `window` must be positive. An answer that is shorter than the window never counts as crawling.
  crawl_rule(double min_tokens_per_second, std::chrono::nanoseconds window);

  // Adds the time since the last call in which text was due, and the tokens that arrived in this time. The caller
  // leaves out time in which no text was due, and also the tokens of that time. Call this function about `looks` times
  // per window; the rule stores only slightly more parts than this number.
  void passed(std::chrono::nanoseconds due, std::uint64_t tokens);

  // True if the answer was observed for a whole window and was slower in this window than the limit.
  bool is_crawling() const;
  double tokens_per_second() const;  // speed of the answer over the last window
  std::chrono::nanoseconds watched() const { return due_; }

  // The number of checks per window. A crawl is detected late by at most a tenth of the window.
  static constexpr int looks = 10;

 private:
  struct part {
    std::chrono::nanoseconds due{0};
    std::uint64_t tokens = 0;
  };

  double limit_;
  std::chrono::nanoseconds window_;
  std::deque<part> parts_;  // parts of the window; each part except the last covers at least a tenth of it
  std::chrono::nanoseconds due_{0};
  std::uint64_t tokens_ = 0;
};

}  // namespace photofinish::racing
