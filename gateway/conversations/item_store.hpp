// What clients may refer to later: output items of Responses by their ids, signed reasoning by its call's. For a while,
// within a bound, each for the caller alone that got it. Any thread.
#pragma once

#include "gateway/access/caller_digest.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/memory/memory_budget.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

struct item_store_limits {
  std::size_t bytes = 64u << 20;  // of all, and never more than
  std::size_t share = 16;         // this part of the memory budget: a sixteenth
  std::size_t items = 200'000;    // of all
  std::size_t longest = 1u << 20;  // of one; a longer one is not kept
  std::chrono::seconds lifetime{3600};
};

class item_store {
 public:
  // What is kept counts in `memory`, for its caller's account.
  explicit item_store(proxy::memory_budget& memory, item_store_limits limits = {}) : memory_(memory), limits_(limits) {}
  item_store(const item_store&) = delete;
  ~item_store();

  // A newer one of the same caller and id takes the older one's place. Of one account's items no more than a quarter
  // of the bound is kept: its own oldest make room.
  void put(const digest& owner, proxy::memory_budget::account account, std::string_view id, std::string_view json,
           proxy::instant now);
  // One of more than `most` bytes is not given, nor copied.
  std::optional<std::string> find(const digest& owner, std::string_view id, proxy::instant now,
                                  std::size_t most = SIZE_MAX);

  std::size_t bytes() const;
  std::size_t size() const;
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }  // without a lock

 private:
  struct entry {
    std::string key;  // owner, then id
    std::string json;
    proxy::memory_budget::account account;
    proxy::instant ends_at;
    std::list<entry*>::iterator place;  // in its account's list
  };
  struct account_items {
    std::list<entry*> oldest_first;
    std::size_t bytes = 0;
  };

  static std::size_t cost_of(const entry& each) { return each.key.size() + each.json.size() + 256; }
  std::size_t most_bytes() const;
  void drop(std::list<entry>::iterator which);
  void drop_expired(proxy::instant now);
  bool make_room(std::size_t bytes, proxy::memory_budget::account account);

  proxy::memory_budget& memory_;
  const item_store_limits limits_;
  mutable std::mutex guard_;
  std::list<entry> oldest_first_;
  std::map<std::string_view, std::list<entry>::iterator> by_key_;
  std::map<proxy::memory_budget::account, account_items> accounts_;
  std::size_t bytes_ = 0;
  std::atomic<std::size_t> count_ = 0;
};

// Of signed reasoning: what one call has is short, and lives as long as its conversation's next request takes to come.
inline constexpr item_store_limits reasoning_limits{
    .bytes = 32u << 20, .share = 32, .items = 100'000, .longest = 64u << 10, .lifetime = std::chrono::seconds(3600)};

}  // namespace photofinish::gateway
