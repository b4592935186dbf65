// A provider that only pretends: an HTTP/1.1 server that answers like OpenAI, as fast, as slow or as badly as
// it is configured. For the demo, the tests and the benchmarks.
#pragma once

#include "gateway/simulator/ledger.hpp"
#include "gateway/simulator/sim_options.hpp"
#include "gateway/simulator/sim_session.hpp"
#include "proxy/loop/signal.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <list>
#include <string>

namespace photofinish::gateway::simulator {

// Everything but ledger() belongs to the thread that runs `io`.
class simulator {
 public:
  simulator(boost::asio::io_context& io, sim_options options);
  simulator(const simulator&) = delete;
  simulator& operator=(const simulator&) = delete;
  ~simulator();  // after ended(), or when listen() was never called

  // Binds and accepts from now on; once. `host` is an IP address, port 0 any free one. Returns the port, or
  // throws boost::system::system_error when the address cannot be had.
  std::uint16_t listen(const std::string& host, std::uint16_t port);

  // Closes the listener and every connection. Idempotent. The io_context runs out of our work soon after.
  void stop() noexcept;

  // Until stop() was called and the last connection is gone. One waiter.
  boost::asio::awaitable<void> ended();

  const sim_ledger& ledger() const { return shared_.ledger; }  // any thread

 private:
  boost::asio::awaitable<void> accept_all();
  void admit(boost::asio::ip::tcp::socket socket);

  boost::asio::io_context& io_;
  sim_shared shared_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::list<sim_session> sessions_;
  bool is_accepting_ = false;
  proxy::signal changed_;
};

}  // namespace photofinish::gateway::simulator
