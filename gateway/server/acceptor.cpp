#include "gateway/server/acceptor.hpp"

#include "proxy/loop/next_turn.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/loop/spawn.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/system/system_error.hpp>

#include <spdlog/spdlog.h>

#include <chrono>

namespace photofinish::gateway {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

// The pause after accept() fails. If the process has no free descriptors, accept() fails immediately each time. Without
// a pause, the gateway would retry in a busy loop.
constexpr std::chrono::milliseconds accept_pause{100};

// The maximum number of connections that are accepted in one turn of the event loop. Each connection starts a session.
// If only one were accepted per turn, a thousand new clients would need a thousand turns. Under high traffic a turn
// takes milliseconds.
constexpr int accepted_in_turn = 16;

}  // namespace

asio::awaitable<void> acceptor::run() {
  error_code ec;
  socket_.non_blocking(true, ec);  // the socket must be non-blocking, because take_waiting() must not wait
  while (!is_stopped_) {
    ec = {};
    try {
      // The loop does not use async_accept(), because Asio would then configure the new socket outside this program's
      // exception handlers. An exception there would end the accept loop.
      co_await socket_.async_wait(tcp::acceptor::wait_read, asio::deferred);
    } catch (const boost::system::system_error& failed) {
      ec = failed.code();
    }
    if (is_stopped_) break;
    if (!ec) ec = take_waiting(accepted_in_turn);
    if (ec && ec != asio::error::connection_aborted && ec != asio::error::would_block) {
      spdlog::warn("cannot accept a connection: {}; trying again in {} ms", ec.message(), accept_pause.count());
      proxy::signal pause;
      proxy::alarm over(alarms_, [&pause] { pause.wake(); });
      over.arm(alarms_.now() + accept_pause);
      co_await pause.wait();
    }
  }
  if (!outlives_us_) co_await empty_backlog();
  socket_.close(ec);
}

void acceptor::stop() {
  is_stopped_ = true;
  error_code ignored;
  socket_.cancel(ignored);
}

error_code acceptor::take_waiting(int most) {
  error_code ec;
  for (int taken = 0; taken < most && !ec; ++taken) ec = take_one();
  return ec;
}

// Accepts one connection. If there is no memory to serve its client, the connection is closed, so that the next clients
// can still be accepted.
error_code acceptor::take_one() {
  error_code ec;
  try {
    tcp::socket client(loop_);
    socket_.accept(client, ec);
    if (!ec) take_(std::move(client));
  } catch (...) {
    proxy::report_bug("a connection", std::current_exception());
  }
  return ec;
}

// Accepts the rest of the backlog, because closing the socket would reset connections that the kernel has already
// accepted. At most as many connections as fit into the backlog are accepted, because new clients might never stop
// arriving.
asio::awaitable<void> acceptor::empty_backlog() {
  for (int taken = 0; taken < listen_backlog && !take_waiting(accepted_in_turn); taken += accepted_in_turn)
    co_await proxy::next_turn(loop_.get_executor());
}

}  // namespace photofinish::gateway
