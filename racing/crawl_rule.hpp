// Decides whether an answer crawls, by its tokens in the last `window` of the time during which text was due. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

namespace photofinish::racing {

class crawl_rule {
 public:
  // `window` is positive. Answers shorter than it are never judged.
  crawl_rule(double min_tokens_per_second, std::chrono::nanoseconds window);

  // Adds the time since the last call during which text was due, and the tokens that arrived in it. The caller leaves
  // out time in which no text was due, with its tokens. Call this about `looks` times per window; the rule stores a few
  // parts more than that.
  void passed(std::chrono::nanoseconds due, std::uint64_t tokens);

  // True if a whole window was watched and contained fewer tokens than the limit requires.
  bool is_crawling() const;
  double tokens_per_second() const;  // speed over the window
  std::chrono::nanoseconds watched() const { return due_; }

  // Number of looks per window: a crawl is detected at most a tenth of the window late.
  static constexpr int looks = 10;

 private:
  struct part {
    std::chrono::nanoseconds due{0};
    std::uint64_t tokens = 0;
  };

  double limit_;
  std::chrono::nanoseconds window_;
  std::deque<part> parts_;  // each part except the last covers at least a tenth of the window
  std::chrono::nanoseconds due_{0};
  std::uint64_t tokens_ = 0;
};

}  // namespace photofinish::racing
