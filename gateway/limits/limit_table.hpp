// The accounts of a configuration's callers and routes. The table is built when a configuration is adopted. An account
// is created by the first request that is charged to it, because few of ten thousand keys are used at a time.
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

// All accounts of the process, by name. An account keeps its usage through a reload. Any thread.
class limit_accounts {
 public:
  using name = std::pair<limit_scope, std::string>;

  std::shared_ptr<limit_account> find(const name& whose);  // returns null if there is no such account
  // Creates the account if there is none, in the window of the latest turn.
  std::shared_ptr<limit_account> get(const name& whose, const budget_period& every);
  // Drops the accounts that no table uses, if there are too many of them.
  void forget_unused();

  // Whether the spending of other gateways is known, if it must be known. Any thread.
  void set_known(bool is_known) { is_known_.store(is_known, std::memory_order_relaxed); }
  bool is_known() const { return is_known_.load(std::memory_order_relaxed); }

  limit_sharing& sharing() { return *sharing_; }

  void turned(std::chrono::sys_seconds now) { turned_at_.store(now.time_since_epoch().count()); }
  // Turns the windows of all subjects, which are in no table. They all have the same window.
  void turn_subjects(const budget_period& every, std::chrono::sys_seconds now);

 private:
  // Accounts whose names are in no configuration any more. They are kept because a key may be removed and added again.
  static constexpr std::size_t most_unused = 10'000;

  void drop_unused();

  std::mutex guard_;
  std::map<name, std::shared_ptr<limit_account>> accounts_;
  std::atomic<std::chrono::sys_seconds::rep> turned_at_{0};
  std::optional<budget_period> subjects_every_;  // none: subjects have no budgets
  std::chrono::sys_seconds subjects_window_ends_{};
  std::atomic<bool> is_known_{true};
  // An account may outlive this object.
  const std::shared_ptr<limit_sharing> sharing_ = std::make_shared<limit_sharing>();
};

class limit_table {
 public:
  limit_table(std::shared_ptr<const config> settings, std::shared_ptr<limit_accounts> accounts);

  // True if any caller or route has a limit.
  bool has_limits() const { return !entries_.empty(); }
  // True if there are accounts whose windows can end. Accounts without a budget count, because they may get one.
  bool has_windows() const {
    return has_limits() || !settings_->access.jwt.empty() || !settings_->access.sealed_keys.secrets.empty();
  }

  // `who` must come from this table's configuration. A route without limits, or a name that is not a route, adds no
  // claim. [any thread]
  limit_claims claims_of(const caller& who, std::string_view route) const;

  // The limits that are known before the body is read: those of the key and its team.
  limit_claims claims_of(const caller& who) const { return claims_of(who, {}); }

  struct budget {
    limit_scope scope;
    std::string name;
    std::int64_t nano_usd, spent_nano_usd;
  };
  std::vector<budget> budgets() const;

  // Returns the soft budgets that are spent, for the housekeeper. Subjects are left out, because their number is not
  // bounded.
  std::vector<spent_soft_budget> spent_soft_budgets() const;

  // Budgets that requests were charged to, for the store. An account lives as long as this table.
  struct charged_budget {
    std::string name;  // for example "team:search"
    budget_period every;
    limit_account* account;
  };
  std::vector<charged_budget> charged_budgets() const;
  // False: requests that have limits are refused. [any thread]
  bool knows_limits() const { return accounts_->is_known(); }
  void set_known(bool is_known) const { accounts_->set_known(is_known); }

  // The sharing state of all accounts. The housekeeper sets it.
  limit_sharing& sharing() const { return accounts_->sharing(); }
  // True if any caller or route has a limit for requests, tokens or parallel requests.
  bool has_rates() const;
  // The longest time that a request may wait for the store.
  std::chrono::milliseconds store_timeout() const { return settings_->store.timeout; }

  // If the store did not answer a request in time: true if this gateway's own part of the limits applies.
  bool may_be_apart() const { return settings_->store.on_failure == store_failure_rule::local; }

  // Only the housekeeper calls this.
  void turn_windows(std::chrono::sys_seconds now) const;

 private:
  struct entry {
    limit_scope scope;
    const std::string* name;   // owned by the configuration, like all pointers here
    const std::string* route;  // the route of a key's limit on one route; otherwise null
    const limit_settings* limits;
    mutable std::atomic<limit_account*> account{nullptr};  // null: the account has not been charged yet
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
  std::deque<entry> entries_;      // the indexes of keys_, teams_ and routes_ refer to this list
  std::vector<key_entries> keys_;  // sorted by the key's index in the configuration
  places teams_, routes_;
  mutable std::mutex guard_;
  mutable std::vector<std::shared_ptr<limit_account>> held_;  // keeps the entries' accounts alive
};

class limit_book {
 public:
  // Any thread may call this.
  std::shared_ptr<const limit_table> table_for(std::shared_ptr<const config> settings) const {
    auto made = std::make_shared<const limit_table>(std::move(settings), accounts_);
    accounts_->forget_unused();
    return made;
  }

 private:
  // Shared, because the end of a request may be its last use.
  std::shared_ptr<limit_accounts> accounts_ = std::make_shared<limit_accounts>();
};

}  // namespace photofinish::gateway
