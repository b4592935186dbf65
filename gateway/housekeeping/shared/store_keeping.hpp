// Exchanges data between gateways through a store, on the housekeeper's thread. Twice per second, this class reports
// and reads the spending from budgets, exchanges cooldowns of providers, and reports that the gateway is running. No
// request waits for these exchanges. The class limit_keeping exchanges the state of limits, and requests may wait for
// it. The class key_sharing reads the access keys.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/housekeeping/egress/egress_watch.hpp"
#include "gateway/housekeeping/shared/cooling_sharing.hpp"
#include "gateway/housekeeping/shared/fleet_keeping.hpp"
#include "gateway/housekeeping/shared/key_sharing.hpp"
#include "gateway/housekeeping/shared/limit_keeping.hpp"
#include "gateway/housekeeping/shared/prefix_keeping.hpp"
#include "gateway/housekeeping/shared/speed_sharing.hpp"
#include "gateway/housekeeping/shared/spend_keeping.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/store/store_client.hpp"
#include "gateway/threads/repeated_work.hpp"
#include "metrics/store_facts.hpp"
#include "racing/cooldowns.hpp"
#include "racing/scoreboard.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {

struct store_surroundings {
  // The folder for the file of amounts that could not be reported; if empty, they are lost when the process ends.
  std::string state_dir;
  std::chrono::milliseconds tick{1'000};
  std::function<std::chrono::sys_seconds()> now;  // returns the time by the clock that decides when budget windows end
  std::function<void()> on_cooling;  // called if other gateways have changed the cooldowns of providers
  prefix_memory* prefixes = nullptr;  // the remembered prompt prefixes; null if they are neither stored nor shared
};

// Receivers of the speeds that other gateways have measured: the statistics and the forecast.
struct forecast_links {
  std::function<racing::wall_time()> wall;  // returns the time by the clock that the statistics use
  std::function<void(const speed_sharing::learned&)> on_figures;
  std::function<void(const speed_sharing::forecast_step&)> on_step;
};

class store_keeping {
 public:
  store_keeping(boost::asio::io_context& loop, store_surroundings how);

  // Applies a configuration. Opens a connection only if the configuration contains a store.
  void adopt(const config& settings, std::shared_ptr<const limit_table> limits);

  // Records a rate limit that a provider has reported for a configured key. Other gateways receive the resulting
  // cooldown immediately. Failures of other kinds are not shared.
  void note(const racing::attempt_sample& failed);
  // Sets the receivers of other gateways' speeds. Call this before the first configuration is applied.
  void share_speeds_by(forecast_links links) { ways_ = std::move(links); }
  // Sets the object that checks for lost connections to providers. Its questions and answers are exchanged with other
  // gateways. It must outlive this object. Call this before the first configuration is applied.
  void share_egress_by(egress_watch& watch) { egress_ = &watch; }
  // Records a speed that this gateway has measured, if the target belongs to a route.
  void note(const racing::target_sample& measured) {
    if (client_) speeds_.note(measured, ways_.wall());
  }
  // Any thread may call this. Calls `on_change` on the housekeeper's thread with the current access keys in the store,
  // and again after each change of the keys. To end these calls immediately, call this function on the housekeeper's
  // thread with an empty `on_change`.
  void watch_keys(key_sharing::publish on_change);
  // Adds to the scoreboard the cooldowns of providers that this gateway and other gateways have recorded.
  void add_cooling(racing::scoreboard& board, racing::instant now) const { cooling_.add_to(board, now); }

  // Any thread may call this. Requests leases of limits from the store. Afterwards calls `answered` on the
  // housekeeper's thread, unless it is empty. A request waits for `answered` only if the previous lease is used up.
  void ask_for_limits(accounts_asked accounts, std::function<void()> answered);

  // The unique name of this gateway's process in the store.
  const std::string& gateway() const { return gateway_; }
  // The object that exchanges figures between all gateways. Call its function watch() before the first configuration is
  // applied.
  fleet_keeping& fleet() { return fleet_; }

  const metrics::store_facts& facts() const { return facts_; }

  // Reports all unreported data to the store, or saves it on the disk. After stop(), this object sends no more
  // commands. Call stop() before destroying the object.
  boost::asio::awaitable<void> stop();

 private:
  enum class work { all, cooling };
  // Optional rights of the store's user. If a right is missing, the commands that need it are not sent again until
  // another store is configured.
  struct user_rights {
    bool speeds = true, egress = true;
  };

  struct round_schedule {
    racing::instant next_tick{};
    std::uint64_t halves = 0;  // the number of half ticks since the start
  };

  boost::asio::awaitable<racing::instant> run_round();
  boost::asio::awaitable<void> share_signs(work what);
  boost::asio::awaitable<void> share_speeds();
  bool takes_speeds(const store_link::replies& said);
  boost::asio::awaitable<void> share_egress();
  void end_tick();

  boost::asio::io_context& loop_;
  const store_surroundings how_;
  const std::string gateway_;  // the unique name of this process in the store
  metrics::store_facts facts_;
  store_settings settings_;
  std::unique_ptr<store_network> network_;
  // The client for commands to the store, shared with the running call; null if there is no store.
  std::shared_ptr<store_client> client_;
  store_names names_{"pf"};
  limit_keeping shared_limits_;
  key_sharing keys_;
  fleet_keeping fleet_;
  speed_sharing speeds_;
  forecast_links ways_;
  egress_watch* egress_ = nullptr;
  user_rights rights_;
  spend_keeping spend_;
  cooling_sharing cooling_;
  // The remembered prompt prefixes. Null if they are neither stored nor shared.
  std::unique_ptr<prefix_keeping> prefixes_;
  round_schedule schedule_;
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
