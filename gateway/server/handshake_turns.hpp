// Who may take a step of a TLS handshake now. A step may cost a millisecond (a signature by an RSA key), and a thousand
// clients may come at once: a few are taken in each turn of the loop, the first who came first, so that streams go on.
// Single-threaded. All who wait have left before it goes.
#pragma once

#include "proxy/loop/signal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <deque>

namespace photofinish::gateway {

class handshake_turns {
 public:
  static constexpr int steps_in_turn = 2;

  explicit handshake_turns(boost::asio::any_io_executor loop) : loop_(std::move(loop)) {}
  handshake_turns(const handshake_turns&) = delete;

  // One that waits; it stays where it is meanwhile.
  class ticket {
    friend class handshake_turns;
    proxy::signal called_;
    bool is_waiting_ = false;
  };

  boost::asio::awaitable<void> wait(ticket& mine);
  void leave(ticket& mine);  // its wait ends at once

 private:
  void post();
  void next();

  boost::asio::any_io_executor loop_;
  std::deque<ticket*> waiting_;
  int taken_ = 0;  // in this turn
  bool is_posted_ = false;
};

}  // namespace photofinish::gateway
