// Responds to a connection that is rejected because the gateway has too many connections. The client's bytes are read
// for a moment, because unread bytes would cause a reset, which could destroy the response. Single-threaded. Destroy
// the object only after run() has returned.
#pragma once

#include "gateway/http/client_connection.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/loop/signal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <exception>
#include <span>
#include <string_view>

namespace photofinish::gateway {

class overload_response {
 public:
  // `scratch` is the worker's read buffer, which all its connections share. See client_connection.
  overload_response(boost::asio::ip::tcp::socket socket, proxy::alarms& alarms, std::span<char> scratch);

  // Sends the response and shuts down the sending side. Closes the connection when the client has closed it, or after
  // two seconds.
  boost::asio::awaitable<void> run(std::string_view answer);
  void cut() { client_.abort(); }

 private:
  boost::asio::awaitable<void> send(std::string_view answer);
  void reader_ended(const std::exception_ptr& bug);

  boost::asio::any_io_executor executor_;
  client_connection client_;
  bool has_reader_ = false;  // true while the read_ahead() coroutine is running
  proxy::signal reader_ended_;
};

}  // namespace photofinish::gateway
