// Maps the callers and routes of a configuration to their accounts. The table is built when the gateway adopts a
// configuration. An account is created only when the first request is charged to it. There may be ten thousand keys,
// but only a few are in use at a time.
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

// Contains all accounts of this gateway by name. When the configuration is reloaded, the accounts keep their usage. Any
// thread may use this list.
class limit_accounts {
 public:
  using name = std::pair<limit_scope, std::string>;

  // Returns the account with this name, or null if there is none.
  std::shared_ptr<limit_account> find(const name& whose);
  // Returns the account with this name. If there is none, creates it in the current budget window.
  std::shared_ptr<limit_account> get(const name& whose, const budget_period& every);
  // If there are too many accounts, drops accounts that no limit table uses.
  void forget_unused();

  // Stores whether limits can be checked. They can be checked if the spending of other gateways is known, or if the
  // configuration does not require this. Any thread may call this function.
  void set_known(bool is_known) { is_known_.store(is_known, std::memory_order_relaxed); }
  bool is_known() const { return is_known_.load(std::memory_order_relaxed); }

  limit_sharing& sharing() { return *sharing_; }

  void turned(std::chrono::sys_seconds now) { turned_at_.store(now.time_since_epoch().count()); }
  // Begins the next budget window of all subjects (the owners of tokens and sealed keys). All subjects share one
  // window. Limit tables cannot do this, because they do not contain subjects.
  void turn_subjects(const budget_period& every, std::chrono::sys_seconds now);

 private:
  // The maximum number of kept accounts that the current configuration does not name. They are kept because a removed
  // key may be added again.
  static constexpr std::size_t most_unused = 10'000;

  void drop_unused();

  std::mutex guard_;
  std::map<name, std::shared_ptr<limit_account>> accounts_;
  std::atomic<std::chrono::sys_seconds::rep> turned_at_{0};
  // The period of the budgets of subjects (owners of tokens and sealed keys). Empty if subjects have no budgets.
  std::optional<budget_period> subjects_every_;
  std::chrono::sys_seconds subjects_window_ends_{};
  std::atomic<bool> is_known_{true};
  // A shared pointer, because an account uses this state and may outlive this object.
  const std::shared_ptr<limit_sharing> sharing_ = std::make_shared<limit_sharing>();
};

class limit_table {
 public:
  limit_table(std::shared_ptr<const config> settings, std::shared_ptr<limit_accounts> accounts);

  // Returns true if any caller or route has a limit.
  bool has_limits() const { return !entries_.empty(); }
  // Returns true if there are accounts with budget windows. This includes accounts without a budget, because they may
  // get a budget later.
  bool has_windows() const {
    return has_limits() || !settings_->access.jwt.empty() || !settings_->access.sealed_keys.secrets.empty();
  }

  // Returns the accounts to which a request is charged. `who` must come from this table's configuration. If the route
  // has no limits or is not a route's name, no account is added for it. Any thread may call this function.
  limit_claims claims_of(const caller& who, std::string_view route) const;

  // Returns the accounts of the key and its team. They are known before the request's body is read.
  limit_claims claims_of(const caller& who) const { return claims_of(who, {}); }

  struct budget {
    limit_scope scope;
    std::string name;
    std::int64_t nano_usd, spent_nano_usd;
  };
  std::vector<budget> budgets() const;

  // Returns the budgets whose soft limit is reached. The list leaves out the budgets of subjects (owners of tokens and
  // sealed keys), because the number of subjects is not limited.
  std::vector<spent_soft_budget> spent_soft_budgets() const;

  // A budget that requests have used, and whose spending the gateway sends to the store. The pointer `account` is valid
  // as long as the limit table.
  struct charged_budget {
    std::string name;  // the account's name, for example "team:search"
    budget_period every;
    limit_account* account;
  };
  std::vector<charged_budget> charged_budgets() const;
  // Returns false if the spending of other gateways is unknown and the gateway must refuse requests with limits. Any
  // thread may call this function.
  bool knows_limits() const { return accounts_->is_known(); }
  void set_known(bool is_known) const { accounts_->set_known(is_known); }

  // Returns how gateways share the accounts. The housekeeper thread sets this state.
  limit_sharing& sharing() const { return accounts_->sharing(); }
  // Returns true if any caller or route has a limit on requests, tokens or parallel requests.
  bool has_rates() const;
  // Returns the maximum time that a request may wait for the store.
  std::chrono::milliseconds store_timeout() const { return settings_->store.timeout; }

  // Returns true if the configuration allows each gateway to use its own share of the limits while the store does not
  // answer.
  bool may_be_apart() const { return settings_->store.on_failure == store_failure_rule::local; }

  // Begins the next budget window of each account whose window has ended. Only the housekeeper thread calls this
  // function.
  void turn_windows(std::chrono::sys_seconds now) const;

 private:
  struct entry {
    limit_scope scope;
    const std::string* name;   // the name of the owner; the configuration owns everything to which this struct points
    const std::string* route;  // the name of the route if the limit of a key applies only to one route; otherwise null
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
  std::deque<entry> entries_;      // all entries; keys_, teams_ and routes_ contain indexes of entries_
  std::vector<key_entries> keys_;  // the entries of keys, sorted by the key's index in the configuration
  places teams_, routes_;
  mutable std::mutex guard_;
  // Owns the accounts to which the entries of the table refer.
  mutable std::vector<std::shared_ptr<limit_account>> held_;
};

class limit_book {
 public:
  // Returns the limit table of a configuration. Any thread may call this function.
  std::shared_ptr<const limit_table> table_for(std::shared_ptr<const config> settings) const {
    auto made = std::make_shared<const limit_table>(std::move(settings), accounts_);
    accounts_->forget_unused();
    return made;
  }

 private:
  // A shared pointer, because a running request may use the accounts after this table is destroyed.
  std::shared_ptr<limit_accounts> accounts_ = std::make_shared<limit_accounts>();
};

}  // namespace photofinish::gateway
