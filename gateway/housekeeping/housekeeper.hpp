// The background thread of the gateway. It renders metrics, computes the scoreboard from samples, stores the statistics
// of the last 72 hours, reports regressions, and reloads the configuration. The housekeeper owns a keeper object for
// each of these tasks, which gets its input through a mailbox. The housekeeper defines the order in which the keepers
// start, run in each tick, reload their settings and stop.
#pragma once

#include "gateway/access/jwt/jwks_board.hpp"
#include "gateway/audit/audit_trail.hpp"
#include "gateway/config/config.hpp"
#include "gateway/credentials/credential_board.hpp"
#include "gateway/housekeeping/advice_reports.hpp"
#include "gateway/housekeeping/budget_keeping.hpp"
#include "gateway/housekeeping/content_keeping.hpp"
#include "gateway/housekeeping/counted_text.hpp"
#include "gateway/housekeeping/egress/egress_state.hpp"
#include "gateway/housekeeping/exports/trace_keeping.hpp"
#include "gateway/housekeeping/fleet_reports.hpp"
#include "gateway/housekeeping/live_feed.hpp"
#include "gateway/housekeeping/score_keeping.hpp"
#include "gateway/housekeeping/stores/forecast_store.hpp"
#include "gateway/housekeeping/stores/house_loop.hpp"
#include "gateway/housekeeping/stores/housekeeping.hpp"
#include "gateway/housekeeping/stores/usage_keeping.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/threads/long_work.hpp"
#include "metrics/exposition.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

class credential_network;
class egress_keeping;
class store_keeping;

class housekeeper {
 public:
  // Functions that are called on the housekeeper's thread with new data, and that pass the data to every worker.
  using publish = score_keeping::publish;
  using publish_speed = forecast_store::publish;
  using publish_credentials = std::function<void(std::shared_ptr<const credential_board>)>;
  using publish_key_sets = std::function<void(std::shared_ptr<const jwks_board>)>;

  // The constructor also reads the stored statistics from their file.
  housekeeper(metrics::build_facts build, std::vector<const metrics::shard*> shards, std::size_t workers,
              publish on_scoreboard, housekeeping how = {}, publish_speed on_speed = [](const auto&) {},
              publish_credentials on_credentials = [](const auto&) {},
              publish_key_sets on_key_sets = [](const auto&) {});
  ~housekeeper();  // stops and joins the thread; the thread stores the statistics before it ends

  // Returns the keepers, which do the housekeeper's tasks. The header of each keeper's class describes which threads
  // may call its functions.
  advice_reports& advice() { return advice_; }
  content_keeping& content() { return content_; }
  text_counting& counting() { return counting_; }
  credential_network& credentials() { return *credentials_; }
  live_feed& live() { return live_; }
  long_work& parsing() { return parsing_; }  // the thread that parses very large bodies
  fleet_reports& reports() { return reports_; }
  score_keeping& scores() { return scores_; }
  forecast_store& speeds() { return speeds_; }
  store_keeping& store() { return *store_; }
  trace_keeping& traces() { return traces_; }
  usage_keeping& usage() { return usage_; }

  // Any thread may call the functions below.

  // The version of the program and its start time. Both stay the same while the program runs.
  const std::string& version() const { return process_.version; }
  std::chrono::sys_seconds started_at() const { return process_.started_at; }

  // Returns the metrics page. The housekeeper's thread renders the page, and the calling coroutine continues on its own
  // thread.
  boost::asio::awaitable<metrics::rendered_page> metrics_page(bool takes_open_metrics = false) {
    return house_.ask(render(takes_open_metrics));
  }
  // Registers `read`, which the housekeeper's thread calls for each rendered metrics page until the thread ends. Call
  // watch() before the first scrape.
  void watch(metrics::exposition::reader read) { exposition_.watch(std::move(read)); }

  // Records the result of loading the newest configuration. If the configuration was refused, the reasons are written
  // to the audit log.
  void config_accepted(std::string hash);
  void config_refused(std::vector<std::string> reasons);

  // Functions for the audit log. note() records a refused caller. refusals_left_out() records how many refused callers
  // are missing in the log because it had no room.
  void note(refused_caller who);
  void refusals_left_out(std::size_t count);

  // Returns the state for /readyz, which shows if this gateway can reach providers.
  egress_state egress() const;

  // Applies the settings of a new configuration, for example the time windows of budgets and the alerts. `own_url` is
  // the address at which the gateway listens.
  void adopt(std::shared_ptr<const config> settings, std::shared_ptr<const limit_table> limits, std::string own_url);

  // The event loop of the housekeeper's thread.
  boost::asio::io_context& loop() { return house_.context(); }

 private:
  boost::asio::awaitable<metrics::rendered_page> render(bool takes_open_metrics);
  void connect();
  void show_keepers(metrics::merged_families& page);
  void tick(racing::instant& save_at);
  boost::asio::awaitable<void> end();

  const housekeeping how_;
  const process_facts process_;
  house_loop house_;
  text_counting counting_;
  long_work parsing_;
  metrics::exposition exposition_;
  alert_sender alerts_;
  std::unique_ptr<credential_network> credentials_;
  audit_trail audit_;
  std::unique_ptr<store_keeping> store_;
  std::unique_ptr<egress_keeping> egress_;
  trace_keeping traces_;
  content_keeping content_;
  budget_keeping budgets_;
  score_keeping scores_;
  forecast_store speeds_;
  live_feed live_;
  advice_reports advice_;
  usage_keeping usage_;
  fleet_reports reports_;
};

}  // namespace photofinish::gateway
