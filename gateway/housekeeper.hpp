// The one thread beside the workers: it renders metrics, judges samples into the scoreboard, and reloads the
// configuration. Workers hand it small samples through a ring each; it hands them immutable snapshots back.
#pragma once

#include "gateway/config.hpp"
#include "gateway/ring.hpp"
#include "metrics/exposition.hpp"
#include "racing/cooldowns.hpp"
#include "racing/scoreboard.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::gateway {

using sample_ring = ring<racing::attempt_sample, 1024>;

class housekeeper {
 public:
  // Called on the housekeeper's thread; it hands the snapshot to every worker.
  using publish = std::function<void(std::shared_ptr<const racing::scoreboard>)>;

  housekeeper(metrics::build_facts build, std::vector<const metrics::shard*> shards, std::size_t workers,
              publish on_scoreboard);
  ~housekeeper();  // stops and joins

  // Everything below may be called on any thread.

  // The Prometheus page; rendered on the housekeeper's thread, the caller resumes on its own.
  boost::asio::awaitable<std::string> metrics_text();

  // Worker `index` alone calls this. A failure is judged at once, a success within a second.
  void note(std::size_t worker, racing::attempt_sample sample);

  void config_loaded(metrics::reload_result how) { exposition_.config_loaded(how); }

  // Runs on the housekeeper's thread.
  boost::asio::io_context& loop() { return loop_; }

 private:
  boost::asio::awaitable<std::string> render();
  boost::asio::awaitable<void> tend();
  void judge();

  boost::asio::io_context loop_{1};
  metrics::exposition exposition_;
  racing::cooldowns cooldowns_;
  publish on_scoreboard_;
  std::vector<std::unique_ptr<sample_ring>> rings_;
  std::atomic<bool> is_judging_posted_ = false;
  boost::asio::steady_timer tick_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace photofinish::gateway
