#include "gateway/limits/limit_table.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

// No route's name holds a slash.
std::string name_on_route(const std::string& key, const std::string& route) { return key + "/" + route; }

auto find_in(const auto& map, std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

limit_table::limit_table(std::shared_ptr<const config> settings, const find_account& find)
    : settings_(std::move(settings)) {
  for (const auto& [name, limits] : settings_->teams)
    if (const entry* made = add(limit_scope::team, name, limits, find)) teams_.emplace(name, made);
  for (const auto& [name, route] : settings_->routes)
    if (const entry* made = add(limit_scope::route, name, route.limits, find)) routes_.emplace(name, made);
  for (const access_key& key : settings_->access_keys) {
    key_entries& its = keys_.emplace_back();
    its.own = add(limit_scope::key, key.name, key.limits, find);
    its.team = find_in(teams_, key.team);
    for (const auto& [route, limits] : key.by_route)
      if (const entry* made = add(limit_scope::key_on_route, name_on_route(key.name, route), limits, find))
        its.by_route.emplace(route, made);
  }
}

const limit_table::entry* limit_table::add(limit_scope scope, const std::string& name, const limit_settings& limits,
                                           const find_account& find) {
  if (!limits.is_limited()) return nullptr;
  return owned_.emplace_back(std::make_unique<const entry>(scope, name, &limits, find(scope, name))).get();
}

limit_claims limit_table::claims_of(const caller& who, std::string_view route) const {
  limit_claims claims;
  const auto claim = [&claims](const entry* each) {
    if (each != nullptr) claims.add(each->scope, *each->limits, *each->account);
  };
  if (who.key != nullptr) {
    const key_entries& its = keys_[static_cast<std::size_t>(who.key - settings_->access_keys.data())];
    claim(its.own);
    claim(find_in(its.by_route, route));
    claim(its.team);
  }
  claim(find_in(routes_, route));
  return claims;
}

std::vector<limit_table::budget> limit_table::budgets() const {
  std::vector<budget> all;
  for (const auto& each : owned_)
    if (each->limits->budget_nano_usd > 0)
      all.push_back({each->scope, each->name, each->limits->budget_nano_usd, each->account->spent()});
  return all;
}

void limit_table::turn_windows(std::chrono::sys_seconds now) const {
  for (const auto& each : owned_) each->account->turn_window(each->limits->every, now);
}

std::shared_ptr<const limit_table> limit_book::table_for(std::shared_ptr<const config> settings) {
  const std::scoped_lock lock(guard_);
  const limit_table::find_account find = [this](limit_scope scope, const std::string& name) {
    std::shared_ptr<limit_account>& account = accounts_[{scope, name}];
    if (!account) account = std::make_shared<limit_account>();
    return account;
  };
  auto made = std::make_shared<const limit_table>(std::move(settings), find);
  const auto is_unused = [](const auto& each) { return each.second.use_count() == 1; };
  const auto unused = std::count_if(accounts_.begin(), accounts_.end(), is_unused);
  if (static_cast<std::size_t>(unused) > most_unused) std::erase_if(accounts_, is_unused);
  return made;
}

}  // namespace photofinish::gateway
