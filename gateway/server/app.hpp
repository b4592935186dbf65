// A running gateway and the events that control it: signals, reloads, draining. It runs on the housekeeper's thread.
// After SIGTERM, the gateway reports for drain_delay that it is not ready, then drains for at most drain_timeout. After
// SIGINT, it drains immediately. After a second SIGTERM or SIGINT, it closes all connections. After SIGHUP, or after a
// watched secret's file has changed, it reloads the configuration. An invalid file changes nothing. Whenever the access
// keys of a store change, they are added to the last valid configuration. Files are read on another thread. Therefore a
// mount that hangs blocks only the reload, and neither metrics nor signals.
#pragma once

#include "gateway/config/sources/config_parser.hpp"
#include "gateway/server/server.hpp"
#include "gateway/server/stored_key_addition.hpp"
#include "gateway/threads/slow_work.hpp"
#include "proxy/loop/signal.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

class app {
 public:
  // `load` reads and parses the configuration again. It runs on another thread, so it must own all data that it uses.
  // `hash` is the hash of `settings`, as in config_result. Signals are handled only inside run(); see
  // blocked_signals.hpp.
  app(server& running, std::shared_ptr<const config> settings, std::function<config_result()> load,
      std::string hash = {});

  // Runs the gateway. Returns after a signal to stop, when all requests have ended.
  void run();

 private:
  using file_times = std::map<std::string, std::filesystem::file_time_type>;
  struct loading;

  static file_times times_of(const std::vector<std::string>& files);
  static loading load_all(const std::function<config_result()>& load);

  boost::asio::awaitable<void> take_signals();
  boost::asio::awaitable<void> watch_files();
  boost::asio::awaitable<void> look_at_files();
  boost::asio::awaitable<void> drain_in_time(std::chrono::milliseconds delay);
  boost::asio::awaitable<void> reload_while_asked();
  boost::asio::awaitable<void> reload();
  boost::asio::awaitable<void> take_stored_keys();
  bool lacks_stored_keys() const;
  void ask_for_reload();
  void ask_for(bool& what);
  void run_child(boost::asio::awaitable<void> child);
  boost::asio::awaitable<void> adopt(loading loaded);
  void refuse(std::vector<std::string> reasons);
  void reload_failed(const std::exception& why);

  server& server_;
  const std::shared_ptr<const config> started_;
  std::string awaiting_restart_;            // the logged changes that need a restart; empty if there are none
  std::shared_ptr<const config> own_;       // the settings from the configuration files, without the access keys from
                                            // the store
  std::shared_ptr<const config> settings_;  // the settings from the configuration files, together with the access keys
                                            // from the store
  std::function<config_result()> load_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer watch_timer_;
  boost::asio::steady_timer drain_timer_;
  slow_work loading_, watching_;
  stored_key_addition keys_;
  file_times file_times_;  // the modification times of settings_->watched_files
  bool are_keys_new_ = false;
  bool is_reload_asked_ = false;
  bool is_reloading_ = false;
  bool is_stopping_ = false;
  bool has_drained_ = false;
  std::size_t children_ = 0;  // the number of running drain_in_time and reload_while_asked coroutines
  proxy::signal child_ended_;
};

}  // namespace photofinish::gateway
