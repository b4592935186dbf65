// Credentials that expire, over the network and from files, on the housekeeper's thread.
#pragma once

#include "gateway/credentials/credential_keeper.hpp"
#include "proxy/outbound.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace photofinish::gateway {

class credential_network {
 public:
  credential_network(boost::asio::io_context& loop, credential_keeper::publish on_board)
      : loop_(loop), on_board_(std::move(on_board)) {}
  ~credential_network();  // stopped before

  // Nothing is opened before a configuration names such credentials.
  void adopt(const config& settings);
  void renew(const proxy::credential_source& source, std::uint64_t serial);

  boost::asio::awaitable<void> stop();

 private:
  boost::asio::io_context& loop_;
  credential_keeper::publish on_board_;
  std::unique_ptr<proxy::outbound> outbound_;
  std::unique_ptr<credential_keeper> keeper_;
};

}  // namespace photofinish::gateway
