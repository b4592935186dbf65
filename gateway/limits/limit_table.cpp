#include "gateway/limits/limit_table.hpp"

#include "gateway/limits/budget_window.hpp"

#include <algorithm>

namespace photofinish::gateway {

std::shared_ptr<limit_account> limit_accounts::find(const name& whose) {
  const std::scoped_lock lock(guard_);
  const auto found = accounts_.find(whose);
  return found == accounts_.end() ? nullptr : found->second;
}

std::shared_ptr<limit_account> limit_accounts::get(const name& whose, const budget_period& every) {
  const std::scoped_lock lock(guard_);
  std::shared_ptr<limit_account>& account = accounts_[whose];
  if (account) return account;
  account = std::make_shared<limit_account>(sharing_, std::string(to_string(whose.first)) + ":" + whose.second);
  // A second reference to the account, so that drop_unused() does not drop it.
  const std::shared_ptr<limit_account> made = account;
  const std::chrono::sys_seconds turned_at{std::chrono::seconds(turned_at_.load())};
  if (turned_at.time_since_epoch().count() != 0) made->turn_window(every, turned_at);
  // Any request can bring a sealed key with a new subject, which gets an account of its own. Therefore unused accounts
  // are also dropped here, not only when the configuration is reloaded.
  if (accounts_.size() % most_unused == 0) drop_unused();
  return made;
}

void limit_accounts::forget_unused() {
  const std::scoped_lock lock(guard_);
  drop_unused();
}

// Begins the next budget window of all subjects (owners of tokens and sealed keys) if their current window has ended.
void limit_accounts::turn_subjects(const budget_period& every, std::chrono::sys_seconds now) {
  const std::scoped_lock lock(guard_);
  if (subjects_every_ == every && now < subjects_window_ends_) return;
  subjects_every_ = every;
  subjects_window_ends_ = window_end(every, now);
  for (const auto& [whose, account] : accounts_)
    if (whose.first == limit_scope::subject) account->turn_window(every, now);
}

// Drops an account only if it is unused, has full buckets and has spent nothing. A new account with the same name
// starts in the same state, so nothing is lost.
void limit_accounts::drop_unused() {
  const proxy::instant now = std::chrono::steady_clock::now();
  const auto is_unused = [now, this](const auto& each) {
    const limit_account& its = *each.second;
    const bool may_forget_money = each.first.first != limit_scope::subject || !subjects_every_ || its.spent() == 0;
    return may_forget_money && each.second.use_count() == 1 && its.requests.until_full(now) == token_bucket::time{} &&
           its.side_requests.until_full(now) == token_bucket::time{} &&
           its.tokens.until_full(now) == token_bucket::time{} && its.tokens.put_off(now) == token_bucket::time{} &&
           its.running() == 0;
  };
  const auto unused = std::count_if(accounts_.begin(), accounts_.end(), is_unused);
  if (static_cast<std::size_t>(unused) > most_unused) std::erase_if(accounts_, is_unused);
}

limit_table::limit_table(std::shared_ptr<const config> settings, std::shared_ptr<limit_accounts> accounts)
    : settings_(std::move(settings)), accounts_(std::move(accounts)) {
  for (const auto& [name, limits] : settings_->access.teams)
    if (limits.is_limited()) teams_.emplace(name, add(limit_scope::team, name, limits));
  for (const auto& [name, route] : settings_->routes)
    if (route.limits.is_limited()) routes_.emplace(name, add(limit_scope::route, name, route.limits));
  for (const access_key& key : settings_->access.keys) {
    key_entries its{.own = add(limit_scope::key, key.name, key.limits), .team = find_in(teams_, key.team)};
    its.first_on_route = static_cast<std::uint32_t>(entries_.size());
    for (const auto& [route, limits] : key.by_route) add(limit_scope::key_on_route, key.name, limits, &route);
    its.end_on_route = static_cast<std::uint32_t>(entries_.size());
    keys_.push_back(its);
  }
  if (entries_.empty()) keys_.clear();
  keys_.shrink_to_fit();
  for (const entry& each : entries_)
    if (auto known = accounts_->find(name_of(each))) keep(each, std::move(known));
}

// Returns the name of an entry's account. The name is unique because the names of routes cannot contain a slash.
limit_accounts::name limit_table::name_of(const entry& each) {
  return {each.scope, each.route == nullptr ? *each.name : *each.name + "/" + *each.route};
}

std::uint32_t limit_table::find_in(const places& all, std::string_view name) {
  const auto found = all.find(name);
  return found == all.end() ? none : found->second;
}

std::uint32_t limit_table::add(limit_scope scope, const std::string& name, const limit_settings& limits,
                               const std::string* route) {
  if (!limits.is_limited()) return none;
  entries_.emplace_back(scope, &name, route, &limits);
  return static_cast<std::uint32_t>(entries_.size() - 1);
}

limit_account& limit_table::account_of(const entry& each) const {
  if (limit_account* known = each.account.load(std::memory_order_acquire)) return *known;
  return keep(each, accounts_->get(name_of(each), each.limits->every));
}

// Stores the account in the entry. If two workers do this at the same time, both store the same account.
limit_account& limit_table::keep(const entry& each, std::shared_ptr<limit_account> account) const {
  limit_account& kept = *account;
  const std::scoped_lock lock(guard_);
  held_.push_back(std::move(account));
  each.account.store(&kept, std::memory_order_release);
  return kept;
}

limit_claims limit_table::claims_of(const caller& who, std::string_view route) const {
  limit_claims claims;
  const auto claim = [this, &claims](std::uint32_t place) {
    if (place == none) return;
    const entry& each = entries_[place];
    claims.add(each.scope, *each.limits, account_of(each));
  };
  if (who.sealed) {
    claim_subject(who, claims);
    claim(find_in(teams_, who.team()));
  } else if (who.key != nullptr && !keys_.empty()) {
    const key_entries& its = keys_[static_cast<std::size_t>(who.key - settings_->access.keys.data())];
    claim(its.own);
    for (std::uint32_t place = its.first_on_route; place < its.end_on_route; ++place)
      if (*entries_[place].route == route) claim(place);
    claim(its.team);
  }
  claim(find_in(routes_, route));
  return claims;
}

// Adds the account that all keys of one subject (the owner of a token or a sealed key) share. The list of claims keeps
// the account and the caller's key in memory.
void limit_table::claim_subject(const caller& who, limit_claims& claims) const {
  if (!who.sealed->limits.is_limited()) return;
  struct claimed {
    std::shared_ptr<const access_key> key;
    std::shared_ptr<limit_account> account;
  };
  auto its = std::make_shared<const claimed>(
      claimed{who.sealed, accounts_->get({limit_scope::subject, who.sealed->name}, who.sealed->limits.every)});
  claims.add(limit_scope::subject, its->key->limits, *its->account);
  claims.keep(std::move(its));
}

std::vector<limit_table::budget> limit_table::budgets() const {
  std::vector<budget> all;
  for (const entry& each : entries_) {
    if (each.limits->budget_nano_usd == 0) continue;
    const limit_account* account = each.account.load(std::memory_order_acquire);
    all.push_back({each.scope, name_of(each).second, each.limits->budget_nano_usd,
                   account == nullptr ? 0 : account->spent()});
  }
  return all;
}

std::vector<spent_soft_budget> limit_table::spent_soft_budgets() const {
  std::vector<spent_soft_budget> all;
  for (const entry& each : entries_) {
    const std::int64_t soft = each.limits->soft_budget_nano_usd;
    const limit_account* account = each.account.load(std::memory_order_acquire);
    if (soft == 0 || account == nullptr || account->spent() < soft) continue;
    // Skips a new account whose budget window has not begun.
    if (account->window_ends().time_since_epoch().count() == 0) continue;
    all.push_back({std::string(to_string(each.scope)), name_of(each).second, soft, account->spent(),
                   account->window_ends()});
  }
  return all;
}

std::vector<limit_table::charged_budget> limit_table::charged_budgets() const {
  std::vector<charged_budget> all;
  for (const entry& each : entries_) {
    limit_account* account = each.account.load(std::memory_order_acquire);
    const bool has_budget = each.limits->budget_nano_usd > 0 || each.limits->soft_budget_nano_usd > 0;
    if (account == nullptr || !has_budget) continue;
    // Skips a new account whose budget window has not begun.
    if (account->window_ends().time_since_epoch().count() == 0) continue;
    all.push_back({std::string(to_string(each.scope)) + ":" + name_of(each).second, each.limits->every, account});
  }
  return all;
}

bool limit_table::has_rates() const {
  const auto is_rate = [](const limit_settings& each) {
    return each.requests_per_minute > 0 || each.tokens_per_minute > 0 || each.parallel_requests > 0;
  };
  const bool has_own = std::any_of(entries_.begin(), entries_.end(), [&](const entry& each) {
    return is_rate(*each.limits);
  });
  return has_own || !settings_->access.sealed_keys.secrets.empty() ||
         (!settings_->access.jwt.empty() && is_rate(settings_->access.key_defaults));
}

void limit_table::turn_windows(std::chrono::sys_seconds now) const {
  accounts_->turned(now);
  const limit_settings& of_subjects = settings_->access.key_defaults;
  if (of_subjects.budget_nano_usd > 0 && !settings_->access.jwt.empty())
    accounts_->turn_subjects(of_subjects.every, now);
  for (const entry& each : entries_)
    if (limit_account* account = each.account.load(std::memory_order_acquire))
      account->turn_window(each.limits->every, now);
}

}  // namespace photofinish::gateway
