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

// Without descriptors accept() fails at once, again and again: a pause instead of a busy loop.
constexpr std::chrono::milliseconds accept_pause{100};

// Each starts a session. With one alone a thousand clients that come at once would wait for a thousand turns, and where
// providers flood, a turn takes milliseconds.
constexpr int accepted_in_turn = 16;

}  // namespace

asio::awaitable<void> acceptor::run() {
  error_code ec;
  socket_.non_blocking(true, ec);  // for take_waiting()
  while (!is_stopped_) {
    ec = {};
    try {
      // Not async_accept(): Asio would set the new socket up where no exception of ours is caught, and stop listening.
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

// A client for whom there is no memory is closed. The listener goes on with the next.
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

// What the kernel has accepted for us would be reset if the socket were just closed. No more than a backlog of them:
// there may be no end of clients that knock.
asio::awaitable<void> acceptor::empty_backlog() {
  for (int taken = 0; taken < listen_backlog && !take_waiting(accepted_in_turn); taken += accepted_in_turn)
    co_await proxy::next_turn(loop_.get_executor());
}

}  // namespace photofinish::gateway
