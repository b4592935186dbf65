#include "gateway/server/app.hpp"

#include "gateway/config/change/catalogue_change.hpp"
#include "gateway/config/change/emptying.hpp"
#include "gateway/config/change/name_changes.hpp"
#include "gateway/config/change/restart_settings.hpp"
#include "gateway/housekeeping/shared/store_keeping.hpp"
#include "gateway/server/banner.hpp"
#include "gateway/server/blocked_signals.hpp"
#include "proxy/loop/spawn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/spdlog.h>

#include <csignal>
#include <future>
#include <system_error>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {
constexpr std::chrono::seconds watch_interval{1};
constexpr std::chrono::seconds reading_patience{10};  // the time limit for reading all files of the configuration
}

struct app::loading {
  config_result result;
  file_times times;  // the modification times of the configuration's files when they were read
};

app::app(server& running, std::shared_ptr<const config> settings, std::function<config_result()> load,
         std::string hash)
    : server_(running),
      started_(settings),
      own_(std::move(settings)),
      settings_(own_),
      load_(std::move(load)),
      signals_(running.keeper().loop(), SIGTERM, SIGINT, SIGHUP),
      watch_timer_(running.keeper().loop()),
      drain_timer_(running.keeper().loop()),
      loading_(running.keeper().loop().get_executor()),
      watching_(running.keeper().loop().get_executor()),
      keys_(running.keeper().loop().get_executor()),
      file_times_(times_of(settings_->source.watched_files)) {
  running.keeper().config_accepted(std::move(hash));
}

void app::run() {
  const unblocked_signals unblocked;
  asio::io_context& loop = server_.keeper().loop();
  // Both coroutines share ownership of these promises. A coroutine may outlive this function, because the function
  // returns immediately if the code below throws.
  const auto signals_over = std::make_shared<std::promise<void>>(), files_over = std::make_shared<std::promise<void>>();
  proxy::spawn_vital(loop, "the wait for signals", take_signals(), [signals_over] { signals_over->set_value(); });
  proxy::spawn_vital(loop, "the watch for changed files", watch_files(), [files_over] { files_over->set_value(); });
  server_.keeper().store().watch_keys([this](std::shared_ptr<const stored_keys> now) {
    keys_.hear(std::move(now));
    ask_for(are_keys_new_);
  });
  server_.wait();
  asio::post(loop, [this] {
    has_drained_ = true;
    server_.keeper().store().watch_keys({});
    signals_.cancel();
    watch_timer_.cancel();
    drain_timer_.cancel();
    loading_.cancel();
    watching_.cancel();
    keys_.cancel();
  });
  signals_over->get_future().wait();
  files_over->get_future().wait();
}

asio::awaitable<void> app::take_signals() {
  error_code ec;
  while (!has_drained_) {
    const int signal = co_await signals_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    if (ec) break;
    if (signal == SIGHUP) ask_for_reload();
    else if (is_stopping_) server_.cut();
    else {
      is_stopping_ = true;
      const bool is_patient = signal == SIGTERM;
      const std::chrono::milliseconds delay = is_patient ? settings_->server.drain_delay : std::chrono::milliseconds(0);
      spdlog::info("stopping: still accepting requests for {} ms, then draining for at most {} ms", delay.count(),
                   settings_->server.drain_timeout.count());
      run_child(drain_in_time(delay));
    }
  }
  while (children_ > 0) co_await child_ended_.wait();
}

// Starts a coroutine and counts it as running. The coroutine may begin immediately, but its completion is handled in a
// later turn of the event loop. The count is increased only after spawn_vital() has returned, because spawn_vital() may
// throw.
void app::run_child(asio::awaitable<void> child) {
  proxy::spawn_vital(signals_.get_executor(), "a reload or a drain", std::move(child), [this] {
    --children_;
    child_ended_.wake();
  });
  ++children_;
}

asio::awaitable<void> app::drain_in_time(std::chrono::milliseconds delay) {
  error_code ec;
  server_.leave();
  drain_timer_.expires_after(delay);
  co_await drain_timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  server_.drain();
  if (has_drained_) co_return;
  drain_timer_.expires_after(settings_->server.drain_timeout);
  co_await drain_timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  if (has_drained_ || ec) co_return;
  spdlog::warn("drain_timeout has passed: cancelling the requests that still run");
  server_.cut();
}

asio::awaitable<void> app::watch_files() {
  error_code ec;
  bool is_failing = false;  // prevents the same line from being logged every second
  while (!has_drained_) {
    watch_timer_.expires_after(watch_interval);
    co_await watch_timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    if (has_drained_) co_return;
    if (lacks_stored_keys()) ask_for(are_keys_new_);  // tries again to add the store's access keys
    try {
      co_await look_at_files();
      is_failing = false;
    } catch (const std::exception& failure) {  // threads or memory may be lacking now; the next check may succeed
      if (!std::exchange(is_failing, true))
        spdlog::error("the files that the configuration names could not be checked for changes: {}; trying again "
                      "every second", failure.what());
    }
  }
}

asio::awaitable<void> app::look_at_files() {
  const auto settings = own_;
  if (settings->source.watched_files.empty()) co_return;
  std::function<file_times()> look = [settings] { return times_of(settings->source.watched_files); };
  auto times = co_await watching_.run(std::move(look), reading_patience);
  if (has_drained_) co_return;
  // False if a reload has replaced the settings while this check waited for the disk. The reload has already checked
  // the files.
  const bool is_current = settings == own_;
  if (!times || !is_current || *times == file_times_) co_return;
  file_times_ = std::move(*times);
  spdlog::info("a file that the configuration names has changed");
  ask_for_reload();
}

app::file_times app::times_of(const std::vector<std::string>& files) {
  file_times times;
  for (const std::string& file : files) {
    std::error_code ignored;
    times[file] = std::filesystem::last_write_time(file, ignored);
  }
  return times;
}

void app::ask_for_reload() { ask_for(is_reload_asked_); }

void app::ask_for(bool& what) {
  what = true;
  if (std::exchange(is_reloading_, true)) return;
  try {
    run_child(reload_while_asked());
  } catch (const std::exception& failure) {
    is_reloading_ = false;
    reload_failed(failure);
  }
}

asio::awaitable<void> app::reload_while_asked() {
  while ((is_reload_asked_ || are_keys_new_) && !has_drained_) {
    const bool is_reload = std::exchange(is_reload_asked_, false);
    try {
      if (is_reload) co_await reload();
      else co_await take_stored_keys();
    } catch (const std::exception& failure) {
      if (is_reload) reload_failed(failure);
      else spdlog::error("the store's access keys could not be applied: {}; trying again every second",
                         failure.what());
    }
  }
  is_reloading_ = false;
}

// Handles an exception of a reload. The process may lack threads or memory now, but the next reload may succeed.
void app::reload_failed(const std::exception& why) {
  spdlog::error("the configuration could not be reloaded: {}", why.what());
  refuse({why.what()});
}

app::loading app::load_all(const std::function<config_result()>& load) {
  loading loaded;
  try {
    loaded.result = load();
  } catch (const std::exception& failure) {
    loaded.result.problems.push_back({.file = "configuration", .message = failure.what()});
  }
  loaded.times = times_of(loaded.result.settings.source.watched_files);
  return loaded;
}

asio::awaitable<void> app::reload() {
  std::function<loading()> all = [load = load_] { return load_all(load); };
  auto loaded = co_await loading_.run(std::move(all), reading_patience);
  if (has_drained_) co_return;
  if (!loaded) {
    std::vector<std::string> reasons{"the configuration, or a file that it names, could not be read within " +
                                     std::to_string(reading_patience.count()) + " s: does its file system respond?"};
    spdlog::error("{}", reasons.front());
    refuse(std::move(reasons));
    co_return;
  }
  config_result& result = loaded->result;
  if (result.is_usable())
    for (const auto& problem : {emptying_problem(*own_, result.settings), catalogue_problem(*own_, result.settings)})
      if (problem) result.problems.push_back({.file = "configuration", .message = *problem});
  const shown_problems shown = to_show(result.problems);
  std::vector<std::string> reasons;
  for (const config_problem& problem : shown.first) {
    std::string text = to_string(problem);
    if (problem.severity == severity::warning) spdlog::warn("{}", text);
    else spdlog::error("{}", reasons.emplace_back(std::move(text)));
  }
  if (shown.more > 0) spdlog::error("and {} more problems of the configuration", shown.more);
  if (result.is_usable()) co_await adopt(std::move(*loaded));
  else refuse(std::move(reasons));
}

void app::refuse(std::vector<std::string> reasons) {
  spdlog::error("the new configuration is not used; the old one stays in use");
  server_.keeper().config_refused(std::move(reasons));
}

bool app::lacks_stored_keys() const { return own_->store.has_access_keys && keys_.has_unused_keys(); }

asio::awaitable<void> app::take_stored_keys() {
  const auto stored = keys_.heard();
  are_keys_new_ = false;
  auto next = co_await keys_.add_to(own_);
  if (has_drained_) co_return;
  if (next != settings_) server_.reload(next);
  settings_ = std::move(next);
  keys_.use(stored);
  if (!own_->store.has_access_keys) co_return;
  const std::size_t count = settings_->access.keys.size() - own_->access.keys.size();
  spdlog::info("access keys of the store: {} in use, {} left out", count, keys_.left_out());
}

asio::awaitable<void> app::adopt(loading loaded) {
  config& fresh = loaded.result.settings;
  std::string awaiting = settings_awaiting_restart(*started_, fresh);
  const std::string changes = changes_text(changes_between(*own_, fresh));
  auto own = std::make_shared<const config>(std::move(fresh));
  if (!own->store.has_access_keys) keys_.hear({});
  const auto stored = keys_.heard();
  are_keys_new_ = false;
  auto next = co_await keys_.add_to(own);
  if (has_drained_) co_return;
  server_.reload(next);  // this call must come before the assignments, because it may throw
  own_ = std::move(own);
  settings_ = std::move(next);
  keys_.use(stored);
  file_times_ = std::move(loaded.times);
  spdlog::set_level(spdlog::level::from_str(settings_->log.level));
  spdlog::info("configuration reloaded: {}{}", changes, hash_text(loaded.result.hash));
  server_.keeper().config_accepted(std::move(loaded.result.hash));
  if (!awaiting.empty() && awaiting != awaiting_restart_)
    spdlog::warn("changes of {} need a restart; all other changes have been applied", awaiting);
  awaiting_restart_ = std::move(awaiting);
}

}  // namespace photofinish::gateway
