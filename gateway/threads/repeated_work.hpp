// Repeats work on an event loop's own thread. The work runs in rounds as long as it is wanted. After each round the
// work pauses until the next round is due or wake() is called. A round that throws is an internal error. The error is
// logged, and the next round begins a second later.
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
    // Returns whether another round is wanted. It is called before each round.
    std::function<bool()> is_wanted;
    std::function<boost::asio::awaitable<instant>()> round;   // runs a round, and returns the time of the next round
    std::function<void()> ended;                              // called when no further round is wanted; may be empty
    // A text for the log that describes the work that a failed round did not complete.
    std::string failure;
    // The shortest pause after a round, which wake() does not end.
    std::chrono::milliseconds apart{0};
    std::chrono::milliseconds after_failure{1000};            // the shortest pause after a round that threw
  };

  repeated_work(boost::asio::io_context& loop, rules how);
  ~repeated_work();  // call this after stop(), or when the event loop no longer runs
  repeated_work(const repeated_work&) = delete;
  repeated_work& operator=(const repeated_work&) = delete;

  // Starts a round immediately, or directly after the current round.
  void wake();

  // Waits for the end of the current round. No further round follows.
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
