// A connection that there is no room for: it is told so, and then read for a moment, because what a client has sent
// and nobody reads resets the answer away.
// Single-threaded. Destroyed only after run() has returned.
#pragma once

#include "gateway/client_connection.hpp"
#include "gateway/services.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <string_view>

namespace photofinish::gateway {

class farewell {
 public:
  farewell(boost::asio::ip::tcp::socket socket, services& worker);

  // Sends the answer, ends our side, and closes when the client has, within two seconds.
  boost::asio::awaitable<void> run(std::string_view answer);
  void cut() { client_.abort(); }

 private:
  services& worker_;
  client_connection client_;
  bool has_reader_ended_ = false;
  proxy::signal reader_ended_;
};

}  // namespace photofinish::gateway
