// A fixture for tests that run their event loop and their alarms by hand.
#pragma once

#include "tests/support/manual_alarms.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace photofinish::tests {

// The state of a coroutine that the test has started, and the value that the coroutine returned.
template <class T>
struct under_way {
  std::optional<T> value;
  bool is_done() const { return value.has_value(); }
};

class hand_cranked_test : public ::testing::Test {
 protected:
  ~hand_cranked_test() override { settle(); }

  template <class T>
  std::unique_ptr<under_way<T>> start(boost::asio::awaitable<T> work) {
    auto held = std::make_unique<under_way<T>>();
    boost::asio::co_spawn(loop_, keep(std::move(work), *held), [](std::exception_ptr) {});
    settle();
    return held;
  }

  // Runs all handlers that are ready, without advancing the time.
  void settle() {
    for (int turn = 0; turn < 50; ++turn) {
      loop_.restart();
      loop_.poll();
    }
  }
  void pass(std::chrono::milliseconds time) {
    alarms_.advance(time);
    settle();
  }

  boost::asio::io_context loop_{1};
  manual_alarms alarms_;

 private:
  template <class T>
  static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work, under_way<T>& held) {
    held.value.emplace(co_await std::move(work));
  }
};

}  // namespace photofinish::tests
