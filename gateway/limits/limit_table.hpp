// Maps a configuration's callers and routes to their accounts. The table is built when the gateway adopts a
// configuration. The first request that is charged to an account creates the account, because few of ten thousand keys
// are used at a time.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/config/config.hpp"
#include "gateway/limits/limit_hold.hpp"
#include "gateway/limits/soft_budgets.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// Contains all accounts of the process by name. An account keeps its usage when the configuration is reloaded. Any
// thread may use the list.
class limit_accounts {
 public:
  using name = std::pair<limit_scope, std::string>;

  // Returns the account with this name, or null if there is none.
  std::shared_ptr<limit_account> find(const name& whose);
  // Returns the account of this name. If there is none, creates it in the window that was set last.
  std::shared_ptr<limit_account> get(const name& whose, const budget_period& every);
  // If there are too many accounts, drops the accounts that no table uses.
  void forget_unused();

  // Stores if limits can be checked. This is true if the spending of other gateways is known, or if the configuration
  // does not require it. Any thread may call this.
  void set_known(bool is_known) { is_known_.store(is_known, std::memory_order_relaxed); }
  bool is_known() const { return is_known_.load(std::memory_order_relaxed); }

  limit_sharing& sharing() { return *sharing_; }

  void turned(std::chrono::sys_seconds now) { turned_at_.store(now.time_since_epoch().count()); }
  // Sets the budget windows of all subjects, because no limit table contains subjects. All subjects have the same
  // window.
  void turn_subjects(const budget_period& every, std::chrono::sys_seconds now);

 private:
  // The largest number of accounts whose names are not in the current configuration. Such accounts are kept because a
  // key may be removed and added again.
  static constexpr std::size_t most_unused = 10'000;

  void drop_unused();

  std::mutex guard_;
  std::map<name, std::shared_ptr<limit_account>> accounts_;
  std::atomic<std::chrono::sys_seconds::rep> turned_at_{0};
  std::optional<budget_period> subjects_every_;  // the budget period of subjects; none if subjects have no budgets
  std::chrono::sys_seconds subjects_window_ends_{};
  std::atomic<bool> is_known_{true};
  // A shared pointer, because an account uses the sharing state and may outlive this object.
  const std::shared_ptr<limit_sharing> sharing_ = std::make_shared<limit_sharing>();
};

class limit_table {
 public:
  limit_table(std::shared_ptr<const config> settings, std::shared_ptr<limit_accounts> accounts);

  // Returns true if any caller or route has a limit.
  bool has_limits() const { return !entries_.empty(); }
  // Returns true if there are accounts with windows that can end. This includes accounts without a budget, because they
  // may get a budget.
  bool has_windows() const {
    return has_limits() || !settings_->access.jwt.empty() || !settings_->access.sealed_keys.secrets.empty();
  }

  // Returns the accounts that a request is charged to. `who` must come from the configuration of this table. A route
  // without limits, or a name that is not a route, adds no account. Any thread may call this.
  limit_claims claims_of(const caller& who, std::string_view route) const;

  // Returns the accounts that are known before the body is read: the accounts of the key and its team.
  limit_claims claims_of(const caller& who) const { return claims_of(who, {}); }

  struct budget {
    limit_scope scope;
    std::string name;
    std::int64_t nano_usd, spent_nano_usd;
  };
  std::vector<budget> budgets() const;

  // Returns the soft budgets that are used up, for the housekeeper. The list does not contain subjects, because their
  // number is not limited.
  std::vector<spent_soft_budget> spent_soft_budgets() const;

  // A budget to which requests were charged. The gateway sends its sum to the store. The account lives as long as this
  // table.
  struct charged_budget {
    std::string name;  // the account's name, for example "team:search"
    budget_period every;
    limit_account* account;
  };
  std::vector<charged_budget> charged_budgets() const;
  // Returns false if the gateway must refuse requests that have limits, because the spending of other gateways is
  // unknown. Any thread may call this.
  bool knows_limits() const { return accounts_->is_known(); }
  void set_known(bool is_known) const { accounts_->set_known(is_known); }

  // Returns the sharing state of all accounts, which the housekeeper sets.
  limit_sharing& sharing() const { return accounts_->sharing(); }
  // Returns true if any caller or route has a limit for requests, tokens or parallel requests.
  bool has_rates() const;
  // Returns the longest time that a request may wait for the store.
  std::chrono::milliseconds store_timeout() const { return settings_->store.timeout; }

  // Returns true if the configuration allows this gateway's own part of the limits for a request that the store did not
  // answer in time.
  bool may_be_apart() const { return settings_->store.on_failure == store_failure_rule::local; }

  // Begins the next windows of accounts. Only the housekeeper calls this function.
  void turn_windows(std::chrono::sys_seconds now) const;

 private:
  struct entry {
    limit_scope scope;
    const std::string* name;   // the owner's name, owned by the configuration, like all pointers in this struct
    const std::string* route;  // the route if a key's limit applies to one route; otherwise null
    const limit_settings* limits;
    mutable std::atomic<limit_account*> account{nullptr};  // the account; null if no request has been charged to it yet
  };
  static constexpr std::uint32_t none = UINT32_MAX;
  struct key_entries {
    std::uint32_t own = none, team = none;
    std::uint32_t first_on_route = none, end_on_route = none;
  };
  using places = std::map<std::string_view, std::uint32_t>;

  static limit_accounts::name name_of(const entry& each);
  static std::uint32_t find_in(const places& all, std::string_view name);
  std::uint32_t add(limit_scope scope, const std::string& name, const limit_settings& limits,
                    const std::string* route = nullptr);
  limit_account& account_of(const entry& each) const;
  void claim_subject(const caller& who, limit_claims& claims) const;
  limit_account& keep(const entry& each, std::shared_ptr<limit_account> account) const;

  const std::shared_ptr<const config> settings_;
  const std::shared_ptr<limit_accounts> accounts_;
  std::deque<entry> entries_;      // all entries; keys_, teams_ and routes_ contain indexes of this list
  std::vector<key_entries> keys_;  // the entries of keys, sorted by the key's index in the configuration
  places teams_, routes_;
  mutable std::mutex guard_;
  // Keeps the accounts of the entries alive.
  mutable std::vector<std::shared_ptr<limit_account>> held_;
};

class limit_book {
 public:
  // Returns the table of a configuration. Any thread may call this function.
  std::shared_ptr<const limit_table> table_for(std::shared_ptr<const config> settings) const {
    auto made = std::make_shared<const limit_table>(std::move(settings), accounts_);
    accounts_->forget_unused();
    return made;
  }

 private:
  // A shared pointer, because a request that ends after this object may still use the accounts.
  std::shared_ptr<limit_accounts> accounts_ = std::make_shared<limit_accounts>();
};

}  // namespace photofinish::gateway
