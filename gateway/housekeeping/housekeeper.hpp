// The thread beside the workers: it renders metrics, judges samples into the scoreboard, keeps the statistics of
// the last 72 hours, tells of regressions, and reloads the configuration. Workers hand it small samples through a
// ring each; it hands them immutable snapshots back.
#pragma once

#include "gateway/access/jwt/jwks_board.hpp"
#include "gateway/audit/audit_trail.hpp"
#include "gateway/config/config.hpp"
#include "gateway/credentials/credential_board.hpp"
#include "gateway/housekeeping/egress/egress_state.hpp"
#include "gateway/housekeeping/content_keeping.hpp"
#include "gateway/housekeeping/exports/trace_keeping.hpp"
#include "gateway/housekeeping/kept/advice_keeping.hpp"
#include "gateway/housekeeping/kept/house_loop.hpp"
#include "gateway/housekeeping/kept/housekeeping.hpp"
#include "gateway/housekeeping/kept/live_keeping.hpp"
#include "gateway/housekeeping/long_work.hpp"
#include "gateway/housekeeping/kept/mailbox.hpp"
#include "gateway/housekeeping/kept/speed_keeping.hpp"
#include "gateway/housekeeping/kept/usage_keeping.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/records/noted_attempt.hpp"
#include "metrics/exposition.hpp"
#include "racing/cooldowns.hpp"
#include "racing/scoreboard.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class alert_sender;
struct stored_keys;
class credential_network;
class egress_keeping;
class store_keeping;
class statistics;
struct fleet_query;
struct fleet_races;
struct fleet_stats;

class housekeeper {
 public:
  // Called on the housekeeper's thread; it hands the snapshot to every worker.
  using publish = std::function<void(std::shared_ptr<const racing::scoreboard>)>;
  using publish_speed = speed_keeping::publish;
  using publish_credentials = std::function<void(std::shared_ptr<const credential_board>)>;
  using publish_key_sets = std::function<void(std::shared_ptr<const jwks_board>)>;

  // Reads the statistics that were kept.
  housekeeper(metrics::build_facts build, std::vector<const metrics::shard*> shards, std::size_t workers,
              publish on_scoreboard, housekeeping how = {}, publish_speed on_speed = [](const auto&) {},
              publish_credentials on_credentials = [](const auto&) {},
              publish_key_sets on_key_sets = [](const auto&) {});
  ~housekeeper();  // stops and joins, and keeps the statistics

  // Everything below may be called on any thread.

  // What runs, and since when. Constant.
  const std::string& version() const { return version_; }
  std::chrono::sys_seconds started_at() const { return started_at_; }

  // The page of metrics; rendered on the housekeeper's thread, the caller resumes on its own.
  boost::asio::awaitable<metrics::rendered_page> metrics_page(bool takes_open_metrics = false);

  // The statistics, at most a second old. `since` limits them to that time before now; without it they cover the whole
  // window. `gateway` selects one gateway; if it is empty, they cover all. `caller` may have few such queries open. The
  // caller resumes on its own thread.
  boost::asio::awaitable<std::shared_ptr<const fleet_stats>> stats(std::string gateway,
                                                                   std::optional<std::chrono::milliseconds> since,
                                                                   std::string caller = {});

  // The feed of the live page, with the races that have changed since that tick, or all with 0. While pages ask for it,
  // workers show a few of their races a second. `gateway` narrows the figures to one gateway: null if it is
  // not known, empty if it has not sent any in time. The caller resumes on its own thread.
  boost::asio::awaitable<std::shared_ptr<const std::string>> feed(std::uint64_t since, std::string gateway);
  // Before the workers start. `on_open` is called on the housekeeper's thread.
  void watch_live(live_keeping::publish on_open, flights_reader read_flights) {
    live_.watch(std::move(on_open), std::move(read_flights));
  }

  // The advice on policies for the routes of that configuration, at most a minute old. It is computed from the races of
  // all gateways, or of one, on the thread for counting. The caller resumes on its own thread.
  boost::asio::awaitable<std::shared_ptr<const advice_report>> advice(std::shared_ptr<const config> settings,
                                                                      std::string gateway);

  // Worker `index` alone calls this. A failure is judged at once, everything else within a second.
  void note(std::size_t worker, noted_attempt sample);

  // Each keeper has a mailbox for what workers note; its header names the thread that may call a method.
  advice_keeping& advice() { return advice_; }
  content_keeping& content() { return content_; }
  speed_keeping& speeds() { return speed_; }
  trace_keeping& traces() { return traces_; }
  usage_keeping& usage() { return usage_; }

  // What was used, up to now. The caller resumes on its own thread.
  boost::asio::awaitable<std::shared_ptr<const usage_report>> usage(usage_query wanted);

  // A caller's own, or without one any caller's, by its id; null: there is none, or no more. Who asks resumes on its
  // own thread.
  boost::asio::awaitable<std::shared_ptr<const race_receipt>> receipt(std::string id,
                                                                      std::optional<racing::caller_id> caller);
  // A receipt that another gateway on the same store keeps. `caller`: the client's name. `sees_all`: it may see the
  // races of all clients.
  boost::asio::awaitable<fleet_receipt> receipt_elsewhere(std::string id, std::string caller, bool sees_all);
  // The salt of callers' prints: the receipts of this gateway are found for other gateways by their clients' names.
  void share_receipts(std::uint64_t salt) { receipt_salt_.store(salt, std::memory_order_relaxed); }
  // The newest races of all gateways, or of one. Without `caller` they are the races of all callers. The caller resumes
  // on its own thread.
  boost::asio::awaitable<std::shared_ptr<const fleet_races>> races(fleet_query wanted,
                                                                   std::optional<racing::caller_id> caller);

  // Counts a text's o200k_base tokens on a thread for that alone: eight megabytes take most of a second, and no scrape
  // should wait so long. `counted` is then called on `reply_to`, whose loop is kept running until then.
  // False: as much as may wait is waiting already.
  bool count_tokens(std::string text, boost::asio::any_io_executor reply_to,
                    std::function<void(std::uint64_t)> counted);

  // Where giant bodies are parsed.
  long_work& parsing() { return parsing_; }

  // Calls the reader for each page of metrics, on the housekeeper's thread, until that ends. Call this before the first
  // scrape.
  void watch(metrics::exposition::reader read) { exposition_.watch(std::move(read)); }

  // How the newest configuration was taken. A refusal and its reasons are written to the audit log.
  void config_accepted(std::string hash);
  void config_refused(std::vector<std::string> reasons);

  // For the audit log: a caller that was not let in, and how many more there were that found no room in it.
  void note(refused_caller who);
  void refusals_left_out(std::size_t count);

  // Tells /readyz whether providers can be reached.
  egress_state egress() const;

  // What a probe has measured; no worker has sent it.
  void note_probe(racing::target_sample sample);

  // From now on budgets' windows are turned, and alerts are sent as this configuration says. `own_url`: where the
  // gateway listens.
  void adopt(std::shared_ptr<const config> settings, std::shared_ptr<const limit_table> limits, std::string own_url);

  // Limits that the store is asked for; `answered`, where it is not empty, is called on the housekeeper's thread.
  void ask_for_limits(accounts_asked accounts, std::function<void()> answered);

  // What the store says of access keys, called on the housekeeper's thread: with what is known, and with each change.
  // An empty function ends it: at once, on that thread.
  void watch_stored_keys(std::function<void(std::shared_ptr<const stored_keys>)> on_change);

  // A provider refused that one of the keys that expire: a newer one is asked for.
  void renew_credential(const proxy::credential_source& source, std::uint64_t serial);
  // A token names a key that is not among that identity provider's: they are asked for again.
  void ask_for_keys(const jwks_source& source);

  // Runs on the housekeeper's thread.
  boost::asio::io_context& loop() { return loop_; }

 private:
  boost::asio::awaitable<metrics::rendered_page> render(bool takes_open_metrics);
  boost::asio::awaitable<std::shared_ptr<const fleet_stats>> report(std::string gateway,
                                                                    std::optional<std::chrono::milliseconds> since,
                                                                    std::string caller);
  boost::asio::awaitable<std::shared_ptr<const race_receipt>> find_receipt(std::string id,
                                                                           std::optional<racing::caller_id> caller);
  boost::asio::awaitable<std::shared_ptr<const fleet_races>> list_races(fleet_query wanted,
                                                                        std::optional<racing::caller_id> caller);
  boost::asio::awaitable<std::shared_ptr<const std::string>> live_text(std::uint64_t since, std::string gateway);
  std::string answer_query(const fleet_query& asked);
  void tick_live();
  boost::asio::awaitable<std::shared_ptr<const usage_report>> report_usage(usage_query wanted);
  boost::asio::awaitable<std::shared_ptr<const advice_report>> advise(std::shared_ptr<const config> settings,
                                                                      std::string gateway);
  const advice_report* known_advice(const std::shared_ptr<const config>& settings, const std::string& gateway,
                                    racing::wall_time now) const;
  boost::asio::awaitable<void> end();
  void tick();
  void judge();
  void turn_windows();  // of budgets
  void look_at_soft_budgets();
  void review();
  racing::scoreboard cooling(racing::instant now) const;  // by what was met here, and at others that share the store
  void publish_scoreboard(racing::instant now);
  void watch_outside();
  void show_keepers(metrics::merged_families& page);
  void watch_fleet();
  const housekeeping how_;
  const std::string version_;
  const std::chrono::sys_seconds started_at_;
  house_loop house_;
  boost::asio::io_context& loop_{house_.context()};
  long_work counting_, parsing_;
  metrics::exposition exposition_;
  racing::cooldowns cooldowns_;
  std::unique_ptr<statistics> statistics_;
  racing::regression_watch regressions_;
  soft_budget_watch soft_budgets_;
  std::unique_ptr<alert_sender> alerts_;
  std::unique_ptr<credential_network> credentials_;
  audit_trail audit_;
  std::unique_ptr<store_keeping> store_;
  std::unique_ptr<egress_keeping> egress_;
  trace_keeping traces_;
  content_keeping content_;
  std::shared_ptr<const limit_table> limits_;  // null: none yet
  publish on_scoreboard_;
  live_keeping live_;
  speed_keeping speed_;
  advice_keeping advice_;
  struct given_advice {
    std::shared_ptr<const config> settings;
    std::shared_ptr<const advice_report> report;
  };
  std::map<std::string, given_advice> last_advice_;  // by the gateway that it is narrowed to
  bool is_advising_ = false;
  usage_keeping usage_;
  racing::instant next_usage_report_{};
  mailbox<noted_attempt, 1024, 256> samples_;
  const std::size_t workers_;
  std::atomic<std::size_t> uncounted_bytes_ = 0;
  std::atomic<std::uint64_t> receipt_salt_ = 0;
  racing::instant review_at_, save_at_;
};

}  // namespace photofinish::gateway
