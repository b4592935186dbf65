// Work on a loop's own thread that goes on in rounds for as long as it is wanted, with a rest after each that a wake
// ends. A round that throws is an internal error: it is logged, and the next one begins a second later.
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
    std::function<bool()> is_wanted;                          // asked before each round
    std::function<boost::asio::awaitable<instant>()> round;   // returns when the next one is due
    std::function<void()> ended;                              // none is wanted any more; may be empty
    std::string failure;                                      // for the log: what a round that threw has left undone
    std::chrono::milliseconds apart{0};                       // the least rest: a wake does not end it
    std::chrono::milliseconds after_failure{1000};            // the same, of a round that threw
  };

  repeated_work(boost::asio::io_context& loop, rules how);
  ~repeated_work();  // stopped before, or the loop does not run any more
  repeated_work(const repeated_work&) = delete;
  repeated_work& operator=(const repeated_work&) = delete;

  // A round at once, or right after the one that runs.
  void wake();

  // Waits for the round that runs; none follows.
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
