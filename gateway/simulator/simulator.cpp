#include "gateway/simulator/simulator.hpp"

#include "proxy/loop/spawn.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cassert>
#include <utility>

namespace photofinish::gateway::simulator {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// If the process has no free file descriptor, the simulator waits this long before it accepts connections again.
constexpr std::chrono::milliseconds accept_pause{20};

}  // namespace

simulator::simulator(asio::io_context& io, sim_options options)
    : io_(io), shared_(std::move(options)), acceptor_(io), pause_(io) {}

simulator::~simulator() { assert(!is_accepting_ && sessions_.empty()); }

std::uint16_t simulator::listen(const std::string& host, std::uint16_t port) {
  const tcp::endpoint endpoint(asio::ip::make_address(host), port);
  acceptor_.open(endpoint.protocol());
  acceptor_.set_option(tcp::acceptor::reuse_address(true));
  acceptor_.bind(endpoint);
  acceptor_.listen();
  proxy::spawn_vital(io_, "the simulator's listener", accept_all(), [this] {
    is_accepting_ = false;
    changed_.wake();
  });
  is_accepting_ = true;
  return acceptor_.local_endpoint().port();
}

asio::awaitable<void> simulator::accept_all() {
  while (acceptor_.is_open()) {
    tcp::socket socket(io_);
    error_code ec;
    co_await acceptor_.async_accept(socket, asio::redirect_error(asio::use_awaitable, ec));
    if (!acceptor_.is_open()) break;
    if (!ec) {
      admit(std::move(socket));
      continue;
    }
    pause_.expires_after(accept_pause);
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
}

void simulator::admit(tcp::socket socket) {
  sessions_.emplace_back(std::move(socket), shared_);
  shared_.ledger.connection_opened();
  const auto admitted = std::prev(sessions_.end());
  proxy::spawn(io_, "a connection to the simulator", admitted->serve(), [this, admitted] {
    sessions_.erase(admitted);
    shared_.ledger.connection_closed();
    changed_.wake();  // must be the last statement, because the waiting coroutine may destroy this object
  });
}

void simulator::stop() noexcept {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  for (sim_session& session : sessions_) session.stop();
}

asio::awaitable<void> simulator::ended() {
  while (is_accepting_ || !sessions_.empty()) co_await changed_.wait();
}

}  // namespace photofinish::gateway::simulator
