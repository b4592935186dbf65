#include "racing/crawl_rule.hpp"

#include <cassert>

namespace photofinish::racing {

crawl_rule::crawl_rule(double min_tokens_per_second, std::chrono::nanoseconds window)
    : limit_(min_tokens_per_second), window_(window) {
  assert(window.count() > 0);
}

void crawl_rule::passed(std::chrono::nanoseconds due, std::uint64_t tokens) {
  if (due.count() <= 0) return;
  if (parts_.empty() || parts_.back().due >= window_ / looks) parts_.emplace_back();
  parts_.back().due += due;
  parts_.back().tokens += tokens;
  due_ += due;
  tokens_ += tokens;
  while (parts_.size() > 1 && due_ - parts_.front().due >= window_) {
    due_ -= parts_.front().due;
    tokens_ -= parts_.front().tokens;
    parts_.pop_front();
  }
}

bool crawl_rule::is_crawling() const { return due_ >= window_ && tokens_per_second() < limit_; }

double crawl_rule::tokens_per_second() const {
  if (due_.count() <= 0) return 0;
  return static_cast<double>(tokens_) / std::chrono::duration<double>(due_).count();
}

}  // namespace photofinish::racing
