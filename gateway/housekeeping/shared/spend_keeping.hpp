// Reports the spending from budgets to the store, and reads the other gateways' spending. A file keeps the amounts that
// could not be reported. Use this class on the housekeeper's thread.
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
    std::string gateway;    // the unique name of this process in the store
    // The folder for the file of amounts that could not be reported. If empty, such amounts are lost when the process
    // ends.
    std::string state_dir;
    // Returns the time by the clock that decides when budget windows end.
    std::function<std::chrono::sys_seconds()> now;
    metrics::store_facts& facts;  // counts the store's errors; must outlive this object
  };

  explicit spend_keeping(surroundings how)
      : gateway_(how.gateway), state_dir_(std::move(how.state_dir)), now_(std::move(how.now)), facts_(how.facts),
        ledger_(std::move(how.gateway)) {}

  void adopt(std::shared_ptr<const limit_table> limits) { limits_ = std::move(limits); }
  // The table of all limits. Null before the first configuration has been applied.
  const limit_table* limits() const { return limits_.get(); }

  // Sets the store's client. Null means that there is no store.
  void use(std::shared_ptr<store_client> client, store_names names);
  void load();  // call load() before the first call of use()

  // Exchanges data with the store: reports this gateway's spending, and reads the other gateways' spending.
  boost::asio::awaitable<void> share();
  // Saves the unreported amounts on the disk. Call this when the process ends.
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
  // The client for commands to the store, shared with the running call; null if there is no store.
  std::shared_ptr<store_client> client_;
  store_names names_{"pf"};
  spend_ledger ledger_;
  std::optional<stats_file> file_;
  bool has_kept_posts_ = false;  // true if the file contains amounts that could not be reported
  restored_budgets restored_;
  std::shared_ptr<const limit_table> limits_;
  // The budgets that the table of limits contained at the last exchange with the store.
  std::vector<limit_table::charged_budget> accounts_;
  std::shared_ptr<const limit_table> accounts_of_;     // the table of limits to which the budgets in accounts_ belong
  std::size_t next_read_ = 0;
};

}  // namespace photofinish::gateway
