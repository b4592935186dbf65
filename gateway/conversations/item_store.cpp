#include "gateway/conversations/item_store.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_kept_id = 256;

std::string key_of(const digest& owner, std::string_view id) { return std::string(as_text(owner)).append(id); }

}  // namespace

item_store::~item_store() {
  for (const entry& each : oldest_first_) memory_.give_back(each.account, cost_of(each));
}

std::size_t item_store::most_bytes() const { return std::min(limits_.bytes, memory_.limit() / limits_.share); }

void item_store::put(const digest& owner, proxy::memory_budget::account account, std::string_view id,
                     std::string_view json, proxy::instant now) {
  if (id.empty() || id.size() > longest_kept_id || json.size() > limits_.longest) return;
  entry made{key_of(owner, id), std::string(json), account, now + limits_.lifetime, {}};
  const std::size_t cost = cost_of(made);
  const std::scoped_lock lock(guard_);
  drop_expired(now);
  if (const auto known = by_key_.find(made.key); known != by_key_.end()) drop(known->second);
  if (!make_room(cost, account) || !memory_.take(account, cost, proxy::memory_use::arriving, now)) return;
  const auto at = oldest_first_.insert(oldest_first_.end(), std::move(made));
  account_items& its = accounts_[account];
  at->place = its.oldest_first.insert(its.oldest_first.end(), &*at);
  its.bytes += cost;
  bytes_ += cost;
  by_key_.emplace(at->key, at);
  count_.store(oldest_first_.size(), std::memory_order_relaxed);
}

std::optional<std::string> item_store::find(const digest& owner, std::string_view id, proxy::instant now,
                                            std::size_t most) {
  const std::string key = key_of(owner, id);
  const std::scoped_lock lock(guard_);
  drop_expired(now);
  const auto found = by_key_.find(key);
  if (found == by_key_.end() || found->second->ends_at <= now) return std::nullopt;
  if (found->second->json.size() > most) return std::nullopt;
  return found->second->json;
}

// Makes room by removing items: first the oldest items of the same account, then the oldest items of all accounts.
bool item_store::make_room(std::size_t bytes, proxy::memory_budget::account account) {
  const std::size_t most = most_bytes();
  if (bytes > most / 4) return false;
  const auto is_full = [&] { return bytes_ + bytes > most || oldest_first_.size() >= limits_.items; };
  const auto has_its_share = [&] {
    const account_items& its = accounts_.at(account);
    return its.bytes + bytes > most / 4 || its.oldest_first.size() >= std::max<std::size_t>(1, limits_.items / 4);
  };
  while (accounts_.contains(account) && has_its_share())
    drop(by_key_.at(accounts_.at(account).oldest_first.front()->key));
  while (is_full() && !oldest_first_.empty()) drop(oldest_first_.begin());
  return true;
}

void item_store::drop_expired(proxy::instant now) {
  for (int at_once = 64; at_once > 0 && !oldest_first_.empty() && oldest_first_.front().ends_at <= now; --at_once)
    drop(oldest_first_.begin());
}

void item_store::drop(std::list<entry>::iterator which) {
  const std::size_t cost = cost_of(*which);
  const auto its = accounts_.find(which->account);
  its->second.oldest_first.erase(which->place);
  its->second.bytes -= cost;
  if (its->second.oldest_first.empty()) accounts_.erase(its);
  bytes_ -= cost;
  memory_.give_back(which->account, cost);
  by_key_.erase(which->key);
  oldest_first_.erase(which);
  count_.store(oldest_first_.size(), std::memory_order_relaxed);
}

std::size_t item_store::bytes() const {
  const std::scoped_lock lock(guard_);
  return bytes_;
}

std::size_t item_store::size() const {
  const std::scoped_lock lock(guard_);
  return oldest_first_.size();
}

}  // namespace photofinish::gateway
