#include "gateway/app.hpp"

#include "gateway/config_change.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <spdlog/spdlog.h>

#include <csignal>
#include <future>
#include <system_error>
#include <utility>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {
constexpr std::chrono::seconds watch_interval{1};
}

app::app(server& running, std::shared_ptr<const config> settings, std::function<config_result()> load)
    : server_(running),
      settings_(std::move(settings)),
      load_(std::move(load)),
      signals_(running.keeper().loop(), SIGTERM, SIGINT, SIGHUP),
      watch_timer_(running.keeper().loop()),
      drain_timer_(running.keeper().loop()) {
  note_file_times();
}

void app::run() {
  asio::io_context& loop = server_.keeper().loop();
  std::vector<std::future<void>> children;
  children.push_back(asio::co_spawn(loop, take_signals(), asio::use_future));
  children.push_back(asio::co_spawn(loop, watch_files(), asio::use_future));
  server_.wait();
  asio::post(loop, [this] {
    has_drained_ = true;
    signals_.cancel();
    watch_timer_.cancel();
    drain_timer_.cancel();
  });
  for (std::future<void>& child : children) child.get();
}

asio::awaitable<void> app::take_signals() {
  error_code ec;
  while (!has_drained_) {
    const int signal = co_await signals_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    if (ec) break;
    if (signal == SIGHUP) reload();
    else if (is_stopping_) server_.cut();
    else {
      is_stopping_ = true;
      const bool is_patient = signal == SIGTERM;
      const std::chrono::milliseconds delay = is_patient ? settings_->drain_delay : std::chrono::milliseconds(0);
      spdlog::info("stopping: serving on for {} ms, then draining for at most {} ms", delay.count(),
                   settings_->drain_timeout.count());
      ++children_;
      asio::co_spawn(signals_.get_executor(), drain_in_time(delay), [this](std::exception_ptr) {
        --children_;
        child_ended_.wake();
      });
    }
  }
  while (children_ > 0) co_await child_ended_.wait();
}

asio::awaitable<void> app::drain_in_time(std::chrono::milliseconds delay) {
  error_code ec;
  server_.leave();
  drain_timer_.expires_after(delay);
  co_await drain_timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  server_.drain();
  if (has_drained_) co_return;
  drain_timer_.expires_after(settings_->drain_timeout);
  co_await drain_timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  if (has_drained_ || ec) co_return;
  spdlog::warn("drain_timeout has passed: cutting what still runs");
  server_.cut();
}

asio::awaitable<void> app::watch_files() {
  error_code ec;
  while (!has_drained_) {
    watch_timer_.expires_after(watch_interval);
    co_await watch_timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    if (has_drained_) co_return;
    const auto before = file_times_;
    note_file_times();
    if (file_times_ == before) continue;
    spdlog::info("a secret's file has changed");
    reload();
  }
}

void app::note_file_times() {
  file_times_.clear();
  for (const std::string& file : settings_->watched_files) {
    std::error_code ignored;
    file_times_[file] = std::filesystem::last_write_time(file, ignored);
  }
}

void app::reload() {
  config_result loaded;
  try {
    loaded = load_();
  } catch (const std::exception& failure) {
    loaded.problems.push_back({.file = "configuration", .message = failure.what()});
  }
  for (const config_problem& problem : loaded.problems) {
    if (problem.severity == severity::error) spdlog::error("{}", to_string(problem));
    else spdlog::warn("{}", to_string(problem));
  }
  if (loaded.is_usable()) {
    if (const auto problem = emptying_problem(*settings_, loaded.settings)) {
      spdlog::error("configuration: {}", *problem);
      loaded.problems.push_back({.file = "configuration", .message = *problem});
    }
  }
  if (!loaded.is_usable()) {
    spdlog::error("the new configuration is not used; the old one goes on");
    return server_.keeper().config_loaded(metrics::reload_result::refused);
  }
  if (loaded.settings.listen != settings_->listen || loaded.settings.admin != settings_->admin ||
      loaded.settings.workers != settings_->workers || loaded.settings.state_dir != settings_->state_dir)
    spdlog::warn("changes of listen, admin, workers and state_dir need a restart; the rest is in force");
  settings_ = std::make_shared<const config>(std::move(loaded.settings));
  note_file_times();
  server_.reload(settings_);
  server_.keeper().config_loaded(metrics::reload_result::accepted);
  spdlog::info("configuration reloaded: {} providers, {} routes", settings_->providers.size(),
               settings_->routes.size());
}

}  // namespace photofinish::gateway
