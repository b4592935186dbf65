// Wraps a client's socket. A read is always pending, so the link notices immediately if the client disconnects, even
// while the session waits for something else. The link belongs to one thread. Only one coroutine at a time may wait for
// the link.
#pragma once

#include "proxy/loop/signal.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

class client_link {
 public:
  using instant = std::chrono::steady_clock::time_point;

  explicit client_link(boost::asio::ip::tcp::socket socket);

  void start();

  // Returns true if the client has closed its side, a write has failed, or the simulator has closed the link. A FIN is
  // sufficient. Therefore a client that has only closed its sending side also counts as disconnected.
  bool is_gone() const { return is_gone_; }

  // Returns the bytes that the client has sent and the session has not yet consumed.
  std::string_view input() const { return input_; }
  void consume(std::size_t bytes);

  // The following coroutines return early if the client has disconnected. wait_input() waits until there are more than
  // `more_than` bytes that the session has not consumed yet.
  boost::asio::awaitable<void> wait_input(std::size_t more_than);
  boost::asio::awaitable<void> wait_until(instant when);
  boost::asio::awaitable<void> wait_gone();
  boost::asio::awaitable<void> write(std::string_view bytes);

  void close() noexcept;  // sends a FIN; a repeated call has no effect
  void reset() noexcept;  // sends a RST

  // Closes the link, and waits until no handler uses this object. Wait for end() before this object is destroyed.
  boost::asio::awaitable<void> end();

 private:
  void read_on();
  void start_timer(instant when);

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  proxy::signal changed_;
  std::array<char, 16 * 1024> scratch_;
  std::string input_;
  bool is_reading_ = false;  // true while a read from the socket is pending
  bool is_timing_ = false;   // true while the timer is running
  bool is_gone_ = false;
};

}  // namespace photofinish::gateway::simulator
