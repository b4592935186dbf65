// Accepts clients from a listening socket, a few in each turn of the event loop, until it is stopped. After that it
// accepts the connections that are already in the backlog, unless another process takes over the socket.
#pragma once

#include "gateway/server/listener.hpp"
#include "proxy/loop/alarms.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <utility>

namespace photofinish::gateway {

class acceptor {
 public:
  using on_client = std::function<void(boost::asio::ip::tcp::socket)>;

  acceptor(boost::asio::io_context& loop, proxy::alarms& alarms, listening_socket socket,
           const boost::asio::ip::tcp& protocol, on_client take)
      : loop_(loop),
        alarms_(alarms),
        outlives_us_(socket.outlives_us()),
        socket_(loop, protocol, socket.release()),
        take_(std::move(take)) {}
  acceptor(const acceptor&) = delete;

  boost::asio::awaitable<void> run();  // returns a few turns of the event loop after stop() is called
  void stop();

 private:
  // Accepts at most `most` connections that are already in the backlog. Returns would_block if there were fewer.
  boost::system::error_code take_waiting(int most);
  boost::system::error_code take_one();
  boost::asio::awaitable<void> empty_backlog();

  boost::asio::io_context& loop_;
  proxy::alarms& alarms_;
  const bool outlives_us_;  // true if another process takes over the socket and its backlog
  boost::asio::ip::tcp::acceptor socket_;
  on_client take_;
  bool is_stopped_ = false;
};

}  // namespace photofinish::gateway
