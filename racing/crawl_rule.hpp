// Whether an answer crawls: its tokens over the last `window` of the time in which its text was due. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

namespace photofinish::racing {

class crawl_rule {
 public:
  // `window` is above zero. Shorter answers are never judged.
  crawl_rule(double min_tokens_per_second, std::chrono::nanoseconds window);

  // So long its text was due since the last call, and so many tokens of it came meanwhile. Time in which none was due
  // is left out, with its tokens. To be called about `looks` times in a window; it holds a few parts more than that.
  void passed(std::chrono::nanoseconds due, std::uint64_t tokens);

  // A whole window was watched, and fewer tokens came in it than the limit asks for.
  bool is_crawling() const;
  double tokens_per_second() const;  // of the window
  std::chrono::nanoseconds watched() const { return due_; }

  static constexpr int looks = 10;  // in a window: a crawl is seen a tenth of it late at most

 private:
  struct part {
    std::chrono::nanoseconds due{0};
    std::uint64_t tokens = 0;
  };

  double limit_;
  std::chrono::nanoseconds window_;
  std::deque<part> parts_;  // all but the last are at least a tenth of the window long
  std::chrono::nanoseconds due_{0};
  std::uint64_t tokens_ = 0;
};

}  // namespace photofinish::racing
