// Decides whether the gateway may send calls to the store. After three failures in a row, the store counts as
// unreachable. After that, the gateway sends only one call per second to test the store. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <chrono>

namespace photofinish::gateway {

class store_breaker {
 public:
  static constexpr int most_failures = 3;
  static constexpr std::chrono::seconds pause{1};

  bool is_open() const { return failures_ >= most_failures; }
  // Returns true if the gateway may send a call to the store. While the store counts as unreachable, such a call is a
  // test.
  bool lets_through(proxy::instant now) {
    if (!is_open()) return true;
    if (now < next_try_) return false;
    next_try_ = now + pause;
    return true;
  }
  void failed(proxy::instant now) {
    if (failures_ < most_failures) ++failures_;
    if (is_open()) next_try_ = now + pause;
  }
  void worked() { failures_ = 0; }

 private:
  int failures_ = 0;  // the number of failures in a row
  proxy::instant next_try_{};
};

}  // namespace photofinish::gateway
