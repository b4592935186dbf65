#include "gateway/server/acceptor.hpp"

#include "proxy/loop/next_turn.hpp"
#include "proxy/loop/signal.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

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
    tcp::socket client = co_await socket_.async_accept(asio::redirect_error(asio::use_awaitable, ec));
    if (!ec) {
      take_(std::move(client));  // also when stop() came between its arrival and this
      take_waiting(accepted_in_turn - 1);
    } else if (is_stopped_) {
      break;
    } else if (ec != asio::error::connection_aborted) {
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

// An error is the next accept's to see.
bool acceptor::take_waiting(int most) {
  error_code ec;
  for (int taken = 0; taken < most; ++taken) {
    tcp::socket client(loop_);
    socket_.accept(client, ec);
    if (ec) return false;
    take_(std::move(client));
  }
  return true;
}

// What the kernel has accepted for us would be reset if the socket were just closed. No more than a backlog of them:
// there may be no end of clients that knock.
asio::awaitable<void> acceptor::empty_backlog() {
  for (int taken = 0; taken < listen_backlog && take_waiting(accepted_in_turn); taken += accepted_in_turn)
    co_await proxy::next_turn(loop_.get_executor());
}

}  // namespace photofinish::gateway
