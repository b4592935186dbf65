#include "gateway/threads/repeated_work.hpp"

#include "proxy/loop/spawn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

repeated_work::repeated_work(asio::io_context& loop, rules how) : loop_(loop), how_(std::move(how)), timer_(loop) {}

repeated_work::~repeated_work() = default;

void repeated_work::wake() {
  if (is_stopping_) return;
  is_woken_ = true;
  timer_.cancel();
  if (std::exchange(is_running_, true)) return;
  try {
    proxy::spawn_vital(loop_, "repeated work", run(), [this] { run_ended(); });
  } catch (...) {  // spawn_vital() threw, so the coroutine did not start
    is_running_ = false;
    throw;
  }
}

void repeated_work::run_ended() {
  is_running_ = false;
  if (!is_stopping_ && how_.is_wanted()) return wake();  // starts again if more work was requested in the meantime
  if (how_.ended) how_.ended();
  ended_.wake();
}

asio::awaitable<void> repeated_work::run() {
  while (!is_stopping_ && how_.is_wanted()) {
    is_woken_ = false;
    instant next{};
    std::exception_ptr bug;
    try {
      next = co_await how_.round();
    } catch (const std::exception& thrown) {
      bug = std::current_exception();
      spdlog::error("{} because of an internal error ({}); the gateway tries again", how_.failure, thrown.what());
    }
    const std::chrono::milliseconds apart = bug ? how_.after_failure : how_.apart;
    co_await rest(std::chrono::steady_clock::now() + apart, false);
    if (!bug) co_await rest(next, true);
    co_await asio::post(loop_, asio::use_awaitable);  // lets other coroutines run, even if the work never suspends
  }
}

asio::awaitable<void> repeated_work::rest(instant until, bool ends_by_wake) {
  boost::system::error_code ec;
  while (!is_stopping_ && !(ends_by_wake && is_woken_) && std::chrono::steady_clock::now() < until) {
    timer_.expires_at(until);
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
}

asio::awaitable<void> repeated_work::stop() {
  is_stopping_ = true;
  timer_.cancel();
  while (is_running_) co_await ended_.wait();
}

}  // namespace photofinish::gateway
