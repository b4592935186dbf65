// Repeats work on an event loop's own thread, in rounds, as long as the work is wanted. The next round begins when it
// is due, or when wake() is called. An exception in a round is an internal error. It is logged, and the next round
// begins a second later.
#pragma once

#include "proxy/loop/signal.hpp"
#include "proxy/loop/alarms.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace photofinish::gateway {

class repeated_work {
 public:
  using instant = proxy::instant;

  struct rules {
    // Returns true if another round is wanted. It is called before each round.
    std::function<bool()> is_wanted;
    std::function<boost::asio::awaitable<instant>()> round;   // does one round of the work, and returns the time of the
                                                              // next round
    std::function<void()> ended;                              // called when no more rounds are wanted; may be empty
    // The log message after a failed round. It states what was not done.
    std::string failure;
    // The minimum pause between two rounds of the work. wake() does not shorten it.
    std::chrono::milliseconds apart{0};
    std::chrono::milliseconds after_failure{1000};            // the minimum pause after an exception
  };

  repeated_work(boost::asio::io_context& loop, rules how);
  ~repeated_work();  // destroy this object only after stop(), or when the event loop has ended
  repeated_work(const repeated_work&) = delete;
  repeated_work& operator=(const repeated_work&) = delete;

  // Starts a round now. If a round is running, starts the next round directly after it.
  void wake();

  // Waits until the current round of the work has ended. No further round begins.
  boost::asio::awaitable<void> stop();
  bool is_stopping() const { return is_stopping_; }

 private:
  boost::asio::awaitable<void> run();
  void run_ended();
  boost::asio::awaitable<void> rest(instant until, bool ends_by_wake);

  boost::asio::io_context& loop_;
  const rules how_;
  boost::asio::steady_timer timer_;
  bool is_running_ = false, is_woken_ = false, is_stopping_ = false;
  proxy::signal ended_;
};

}  // namespace photofinish::gateway
