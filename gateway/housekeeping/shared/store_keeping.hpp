// The data that several gateways share through a store, on the housekeeper's thread. Twice per second it posts and
// reads spend, exchanges limits that providers reported, and sends a sign of life. No request waits for this.
// limit_keeping handles the data that a request may wait for, and key_sharing handles the access keys.
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
  std::string state_dir;  // folder for amounts that could not be posted; if empty, they are lost when the process ends
  std::chrono::milliseconds tick{1'000};
  std::function<std::chrono::sys_seconds()> now;  // returns the time by the clock of budgets' windows
  std::function<void()> on_cooling;  // called if other gateways report changed limits of providers
  prefix_memory* prefixes = nullptr;  // known prompt prefixes; null if they are neither stored nor shared
};

// Receivers of the speeds that other gateways have measured. They are the statistics and the forecast.
struct forecast_links {
  std::function<racing::wall_time()> wall;  // returns the time by the clock of the statistics
  std::function<void(const speed_sharing::learned&)> on_figures;
  std::function<void(const speed_sharing::forecast_step&)> on_step;
};

class store_keeping {
 public:
  store_keeping(boost::asio::io_context& loop, store_surroundings how);

  // Opens no connection until a configuration names a store.
  void adopt(const config& settings, std::shared_ptr<const limit_table> limits);

  // Records a limit that a provider has reported for a configured key. Other gateways learn of the limit immediately.
  // Failures of other kinds are not shared.
  void note(const racing::attempt_sample& failed);
  // Sets the receivers of other gateways' speeds. Call this before a configuration is adopted.
  void share_speeds_by(forecast_links links) { ways_ = std::move(links); }
  // Call this before a configuration is adopted. The watch outlives this object.
  void share_egress_by(egress_watch& watch) { egress_ = &watch; }
  // Records a measurement of a target that is in routes.
  void note(const racing::target_sample& measured) {
    if (client_) speeds_.note(measured, ways_.wall());
  }
  // Any thread may call this. `on_change` gets the access keys that the store has now, and again after each change. It
  // is called on the housekeeper's thread. If that thread passes an empty function, the calls end immediately.
  void watch_keys(key_sharing::publish on_change);
  // Adds the limits of providers that this gateway and other gateways have recorded.
  void add_cooling(racing::scoreboard& board, racing::instant now) const { cooling_.add_to(board, now); }

  // Any thread may call this. Asks the store for leased limits. A request waits here only if the lease of its limit is
  // used up. If `answered` is not empty, it is called on the housekeeper's thread.
  void ask_for_limits(accounts_asked accounts, std::function<void()> answered);

  // The name of this gateway's run in the store.
  const std::string& gateway() const { return gateway_; }
  // The figures of all gateways. Call watch() on the result before a configuration is adopted.
  fleet_keeping& fleet() { return fleet_; }

  const metrics::store_facts& facts() const { return facts_; }

  // Posts the remaining data, or stores it on the disk. This object asks no questions after stop(). Call stop() before
  // the destructor.
  boost::asio::awaitable<void> stop();

 private:
  enum class work { all, cooling };
  // Rights that the store's user may lack. A missing right is not tried again until another store is configured.
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
  const std::string gateway_;  // this run's name in the store
  metrics::store_facts facts_;
  store_settings settings_;
  std::unique_ptr<store_network> network_;
  std::shared_ptr<store_client> client_;  // the store's client, shared with the running call; null if there is no store
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
  std::unique_ptr<prefix_keeping> prefixes_;  // known prompt prefixes; null if they are neither stored nor shared
  round_schedule schedule_;
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
