// A fixture for the network code of a worker. It has an event loop, alarms, and coroutines that the test starts and awaits. It uses real
// sockets on loopback. If a wait takes too long, the test fails.
#pragma once

#include "proxy/loop/timer_alarms.hpp"
#include "tests/support/patience.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace photofinish::testing {

// Alarms that run in real time. A test can also skip ahead, so that lifetimes of seconds or minutes end immediately. The alarms run on the
// thread of the event loop.
class skipping_alarms final : public proxy::alarms {
 public:
  proxy::instant now() const override { return std::chrono::steady_clock::now() + skipped_; }
  void skip(std::chrono::milliseconds time) { skipped_ += time; }
  void strike() {
    for (const proxy::instant until = now(); strike_next(until);) {}
  }

 private:
  void earliest_changed() override {}
  std::chrono::steady_clock::duration skipped_{};
};

// The state of a coroutine that the test has started, and the value that the coroutine returned.
template <class T>
struct started {
  std::optional<T> value;
  bool is_done() const { return value.has_value(); }
};

// The work that the event loop did in each turn. One turn runs one handler.
struct turns_seen {
  std::size_t turns = 0;
  std::size_t most_in_one = 0;  // the largest amount of work in one turn of the loop
};

class net_fixture : public ::testing::Test {
 protected:
  using milliseconds = std::chrono::milliseconds;

  net_fixture() { std::signal(SIGPIPE, SIG_IGN); }
  ~net_fixture() override {
    clock.stop();
    run_until([this] { return clock.is_idle(); });
  }

  template <class T>
  std::unique_ptr<started<T>> start(boost::asio::awaitable<T> work) {
    auto held = std::make_unique<started<T>>();
    auto ended = [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    };
    boost::asio::co_spawn(loop, keep(std::move(work), *held), ended);
    return held;
  }

  template <class T>
  T finish(std::unique_ptr<started<T>> work) {
    run_until([&] { return work->is_done(); });
    return std::move(*work->value);
  }

  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return finish(start(std::move(work)));
  }

  void run_until(const std::function<bool()>& is_reached) {
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (!is_reached()) {
      if (std::chrono::steady_clock::now() > limit) throw std::runtime_error("waited in vain");
      loop.restart();
      loop.run_one_for(milliseconds(2));
      skipping.strike();
    }
  }

  void run_for(milliseconds time) {
    const auto limit = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < limit) {
      loop.restart();
      loop.run_one_until(std::min(limit, std::chrono::steady_clock::now() + milliseconds(2)));
      skipping.strike();
    }
  }

  // Runs the event loop one handler at a time until `is_over` returns true. `taken` returns the total amount of work done so far.
  turns_seen watch_turns(const std::function<std::size_t()>& taken, const std::function<bool()>& is_over) {
    turns_seen seen;
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (!is_over()) {
      if (std::chrono::steady_clock::now() > limit) throw std::runtime_error("waited in vain");
      const std::size_t before = taken();
      loop.restart();
      seen.turns += loop.run_one_for(milliseconds(2));
      seen.most_in_one = std::max(seen.most_in_one, taken() - before);
    }
    return seen;
  }

  // Waits until the kernel has bytes for this socket, because the peer's bytes may not have arrived yet.
  static void await_bytes(int fd) {
    pollfd wanted{fd, POLLIN, 0};
    if (::poll(&wanted, 1, static_cast<int>(milliseconds(patience).count())) != 1) throw std::runtime_error("no byte came");
  }

  boost::asio::io_context loop{1};
  proxy::timer_alarms clock{loop};
  skipping_alarms skipping;

 private:
  template <class T>
  static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work, started<T>& held) {
    held.value.emplace(co_await std::move(work));
  }
};

// Measures how many milliseconds have passed since its creation.
class stopwatch {
 public:
  double elapsed_ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace photofinish::testing
