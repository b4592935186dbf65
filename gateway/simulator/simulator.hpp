// Simulates a provider. It is an HTTP/1.1 server that answers like OpenAI, with configurable speeds and faults. The
// demo, the tests and the benchmarks use it.
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

// A simulator. All functions except ledger() may only be called on the thread that runs `io`.
class simulator {
 public:
  simulator(boost::asio::io_context& io, sim_options options);
  simulator(const simulator&) = delete;
  simulator& operator=(const simulator&) = delete;
  ~simulator();  // destroy the simulator only after ended(), or if listen() was never called

  // Binds the address and accepts connections. Returns the port. Call this function only once. `host` is an IP address.
  // Port 0 means any free port. Throws boost::system::system_error if the address cannot be used.
  std::uint16_t listen(const std::string& host, std::uint16_t port);

  // Closes the listener and all connections. Further calls have no effect. Soon after the call, the simulator has no
  // more work on the io_context.
  void stop() noexcept;

  // Waits until stop() was called and all connections have ended. Only one coroutine may wait for this.
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
