// The spend of budgets, which is posted to the store and read from it. A file keeps the amounts that could not be
// posted. Used on the housekeeper's thread.
#pragma once

#include "gateway/housekeeping/stores/stats_file.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/store/spend/restored_budgets.hpp"
#include "gateway/store/spend/spend_ledger.hpp"
#include "gateway/store/store_client.hpp"
#include "gateway/store/store_scripts.hpp"
#include "metrics/store_facts.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class spend_keeping {
 public:
  struct surroundings {
    std::string gateway;    // this run's name in the store
    // Folder for amounts that could not be posted; if empty, they are lost when the process ends.
    std::string state_dir;
    std::function<std::chrono::sys_seconds()> now;  // returns the time by the clock of budgets' windows
    metrics::store_facts& facts;  // counts the store's errors; outlives this object
  };

  explicit spend_keeping(surroundings how)
      : gateway_(how.gateway), state_dir_(std::move(how.state_dir)), now_(std::move(how.now)), facts_(how.facts),
        ledger_(std::move(how.gateway)) {}

  void adopt(std::shared_ptr<const limit_table> limits) { limits_ = std::move(limits); }
  // The table of all limits; null before the first configuration.
  const limit_table* limits() const { return limits_.get(); }

  // Call this if another store is configured; null means that there is no store.
  void use(std::shared_ptr<store_client> client, store_names names);
  void load();  // call load() before the first call of use()

  // Runs a round: posts the spend of this gateway, and reads the spend of the other gateways.
  boost::asio::awaitable<void> share();
  // Called at the end. Stores on the disk the amounts that could not be posted.
  void save_rest();

 private:
  boost::asio::awaitable<void> post_spend();
  boost::asio::awaitable<void> read_spend(std::vector<known_spend> quiet);
  boost::asio::awaitable<void> settle_spend(std::vector<known_spend> lost);
  boost::asio::awaitable<bool> send_posts(std::span<const spend_post> posts);
  bool agrees(const known_spend& whose, const store_reply& sum, const store_reply& history);
  std::vector<spend_reading> read_accounts();
  void show_accounts(const std::vector<spend_reading>& readings);

  const std::string gateway_, state_dir_;
  const std::function<std::chrono::sys_seconds()> now_;
  metrics::store_facts& facts_;
  std::shared_ptr<store_client> client_;  // the store's client, shared with the running call; null if there is no store
  store_names names_{"pf"};
  spend_ledger ledger_;
  std::optional<stats_file> file_;
  bool has_kept_posts_ = false;  // true if the file contains amounts that could not be posted
  restored_budgets restored_;
  std::shared_ptr<const limit_table> limits_;
  std::vector<limit_table::charged_budget> accounts_;  // the budgets of limits_ as they were last read
  std::shared_ptr<const limit_table> accounts_of_;     // the limit table that owns the budgets
  std::size_t next_read_ = 0;
};

}  // namespace photofinish::gateway
