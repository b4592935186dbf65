// The housekeeper's thread, with its event loop, its ticks, and the time that the statistics use. The parts of the
// housekeeper hold references to this object.
#pragma once

#include "racing/statistics/wall_clock_filter.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace photofinish::gateway {

class house_loop {
 public:
  house_loop() : timer_(loop_) {}

  // Starts the thread, which calls `tick` after each `pause`. After stop(), the thread runs `end` and finishes the
  // remaining tasks before it ends.
  void start(std::chrono::milliseconds pause, std::function<void()> tick,
             std::function<boost::asio::awaitable<void>()> end);
  void stop();  // stops the thread and waits until it has ended

  boost::asio::io_context& context() { return loop_; }

  // Any thread may call this. Runs `work` on the loop's thread. Afterwards the calling coroutine continues on its own
  // thread.
  template <class T>
  boost::asio::awaitable<T> ask(boost::asio::awaitable<T> work) {
    return boost::asio::co_spawn(loop_, std::move(work), boost::asio::use_awaitable);
  }

  // Call the functions below on the loop's thread, or on any thread before start().

  bool is_stopping() const { return is_stopping_; }

  // Returns the time that the statistics use. Usually this is the time of the machine's clock. If the clock jumps, the
  // time follows only after the clock has run steadily for some time.
  racing::wall_time now();
  std::chrono::sys_seconds seconds() { return std::chrono::floor<std::chrono::seconds>(now()); }
  // Sets a function that is called if all times in stored data must be shifted.
  void watch_shifts(std::function<void(std::chrono::milliseconds)> on_shift) { on_shift_ = std::move(on_shift); }

 private:
  boost::asio::awaitable<void> run(std::chrono::milliseconds pause, std::function<void()> tick,
                                   std::function<boost::asio::awaitable<void>()> end);

  boost::asio::io_context loop_{1};
  boost::asio::steady_timer timer_;
  racing::wall_clock_filter clock_;
  std::function<void(std::chrono::milliseconds)> on_shift_ = [](std::chrono::milliseconds) {};
  bool is_stopping_ = false;
  std::thread thread_;
};

// Returns the time by the machine's clock.
racing::wall_time machine_time();

// Waits for the given time, then continues on `loop`.
boost::asio::awaitable<void> pause_for(boost::asio::io_context& loop, std::chrono::steady_clock::duration length);

}  // namespace photofinish::gateway
