// Which accounts a configuration's callers and routes have. Made where a configuration is adopted, never changed.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/config/config.hpp"
#include "gateway/limits/limit_hold.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class limit_table {
 public:
  using find_account = std::function<std::shared_ptr<limit_account>(limit_scope, const std::string& name)>;

  limit_table(std::shared_ptr<const config> settings, const find_account& find);
  limit_table(const limit_table&) = delete;
  limit_table& operator=(const limit_table&) = delete;

  // Whether anything is limited at all.
  bool has_limits() const { return !owned_.empty(); }

  // `who` is of this table's configuration. A route without limits, or what is not one, adds none. [any thread]
  limit_claims claims_of(const caller& who, std::string_view route) const;

  // Of what can be limited before a request says what it wants: the key and its team.
  limit_claims claims_of(const caller& who) const { return claims_of(who, {}); }

  struct budget {
    limit_scope scope;
    std::string name;
    std::int64_t nano_usd, spent_nano_usd;
  };
  std::vector<budget> budgets() const;

  // The housekeeper's.
  void turn_windows(std::chrono::sys_seconds now) const;

 private:
  struct entry {
    limit_scope scope;
    std::string name;
    const limit_settings* limits;
    std::shared_ptr<limit_account> account;
  };
  struct key_entries {
    const entry* own = nullptr;
    const entry* team = nullptr;
    std::map<std::string_view, const entry*> by_route = {};
  };

  const entry* add(limit_scope scope, const std::string& name, const limit_settings& limits, const find_account& find);

  const std::shared_ptr<const config> settings_;
  std::vector<std::unique_ptr<const entry>> owned_;
  std::vector<key_entries> keys_;  // by the key's place in the configuration
  std::map<std::string_view, const entry*> teams_, routes_;
};

// All accounts of the process, by name: what is used stays through a reload.
class limit_book {
 public:
  // Any thread.
  std::shared_ptr<const limit_table> table_for(std::shared_ptr<const config> settings);

 private:
  // Of names that no configuration has any more: a key that is taken out and put in again is the same.
  static constexpr std::size_t most_unused = 10'000;

  std::mutex guard_;
  std::map<std::pair<limit_scope, std::string>, std::shared_ptr<limit_account>> accounts_;
};

}  // namespace photofinish::gateway
