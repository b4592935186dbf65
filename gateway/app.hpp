// A running gateway under an operator's hand: signals, reload, draining. It lives on the housekeeper's thread.
//   SIGTERM  not ready for drain_delay, then drains for at most drain_timeout
//   SIGINT   drains at once
//   either, a second time: cuts
//   SIGHUP, or a watched secret's file changed: reloads; a bad file changes nothing
#pragma once

#include "gateway/config_parser.hpp"
#include "gateway/server.hpp"
#include "proxy/signal.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace photofinish::gateway {

class app {
 public:
  // `load` reads and parses the configuration again.
  app(server& running, std::shared_ptr<const config> settings, std::function<config_result()> load);

  // Until the gateway has drained.
  void run();

 private:
  boost::asio::awaitable<void> take_signals();
  boost::asio::awaitable<void> watch_files();
  boost::asio::awaitable<void> drain_in_time(std::chrono::milliseconds delay);
  void reload();
  void note_file_times();

  server& server_;
  std::shared_ptr<const config> settings_;
  std::function<config_result()> load_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer watch_timer_;
  boost::asio::steady_timer drain_timer_;
  std::map<std::string, std::filesystem::file_time_type> file_times_;
  bool is_stopping_ = false;
  bool has_drained_ = false;
  std::size_t children_ = 0;  // drain_in_time
  proxy::signal child_ended_;
};

}  // namespace photofinish::gateway
