#include "gateway/housekeeping/stores/house_loop.hpp"

#include "proxy/loop/spawn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>

#include <spdlog/spdlog.h>

#include <ctime>
#include <exception>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// Returns the time by a clock that also runs while the machine sleeps, unlike the steady clock.
racing::instant counting_clock() {
  timespec since_boot{};
  if (::clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return std::chrono::steady_clock::now();
  return racing::instant(std::chrono::seconds(since_boot.tv_sec) + std::chrono::nanoseconds(since_boot.tv_nsec));
}

}  // namespace

racing::wall_time machine_time() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

asio::awaitable<void> pause_for(asio::io_context& loop, std::chrono::steady_clock::duration length) {
  boost::system::error_code ec;
  asio::steady_timer timer(loop, length);
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ec));
}

void house_loop::start(std::chrono::milliseconds pause, std::function<void()> tick,
                       std::function<asio::awaitable<void>()> end) {
  proxy::spawn_vital(loop_, "the housekeeper", run(pause, std::move(tick), std::move(end)), [] {});
  thread_ = std::thread([this] { loop_.run(); });
}

void house_loop::stop() {
  asio::post(loop_, [this] {
    is_stopping_ = true;
    timer_.cancel();
  });
  thread_.join();
}

asio::awaitable<void> house_loop::run(std::chrono::milliseconds pause, std::function<void()> tick,
                                      std::function<asio::awaitable<void>()> end) {
  boost::system::error_code ec;
  while (!is_stopping_) {
    timer_.expires_after(pause);
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    try {
      tick();
    } catch (...) {  // a tick may fail because memory ran out; the next tick may succeed
      proxy::report_bug("the regular housekeeping", std::current_exception());
    }
  }
  co_await end();
}

racing::wall_time house_loop::now() {
  const racing::wall_reading read = clock_.read(machine_time(), counting_clock());
  if (read.jumped.count() != 0)
    spdlog::warn("the machine's clock has jumped by {} s; statistics use the new time after the clock has been steady "
                 "for {} minutes",
                 std::chrono::round<std::chrono::seconds>(read.jumped).count(),
                 std::chrono::floor<std::chrono::minutes>(racing::wall_clock_filter::settling).count());
  if (read.shift.count() != 0) on_shift_(read.shift);
  return read.now;
}

}  // namespace photofinish::gateway
