// Decides which connections may take a step of a TLS handshake now. A step may take a millisecond (a signature by an
// RSA key), and a thousand clients may connect at the same time. Therefore each turn of the event loop serves only a
// few connections, in the order of their arrival, so that streams are not delayed. Single-threaded. No connection may
// be waiting when the object is destroyed.
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

  // A ticket represents a connection that waits for its turn. The address of a ticket must not change.
  class ticket {
    friend class handshake_turns;
    proxy::signal called_;
    bool is_waiting_ = false;
  };

  boost::asio::awaitable<void> wait(ticket& mine);
  void leave(ticket& mine);  // the destructor removes the ticket from the queue

 private:
  void post();
  void next();

  boost::asio::any_io_executor loop_;
  std::deque<ticket*> waiting_;
  int taken_ = 0;  // the number of tickets served in this turn of the event loop
  bool is_posted_ = false;
};

}  // namespace photofinish::gateway
