// Stores data that clients may refer to later: output items of the Responses API by their ids, and signed reasoning by
// the id of its call. Items expire, and their total size is limited. Only the caller that received an item can find it.
// Any thread may use this object.
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
  std::size_t bytes = 64u << 20;  // the maximum total size of all items in bytes; `share` also limits this size
  std::size_t share = 16;         // all items together may use at most the memory budget divided by this number
  std::size_t items = 200'000;    // the maximum number of items of all callers together
  std::size_t longest = 1u << 20;  // the byte limit for one item; a larger item is not stored
  std::chrono::seconds lifetime{3600};
};

class item_store {
 public:
  // Makes an empty store. Memory for an item is reserved from `memory`, and charged to the account of the item's
  // caller.
  explicit item_store(proxy::memory_budget& memory, item_store_limits limits = {}) : memory_(memory), limits_(limits) {}
  item_store(const item_store&) = delete;
  ~item_store();

  // Stores an item. It replaces an older item with the same caller and id. If the account already uses a quarter of the
  // limit, its own oldest items are removed first.
  void put(const digest& owner, proxy::memory_budget::account account, std::string_view id, std::string_view json,
           proxy::instant now);
  // Returns a copy of an item. Returns nothing if there is no such item, or if it has more than `most` bytes.
  std::optional<std::string> find(const digest& owner, std::string_view id, proxy::instant now,
                                  std::size_t most = SIZE_MAX);

  std::size_t bytes() const;
  std::size_t size() const;
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }  // without a lock

 private:
  struct entry {
    std::string key;  // the key of the item: its owner, followed by its id
    std::string json;
    proxy::memory_budget::account account;
    proxy::instant ends_at;
    std::list<entry*>::iterator place;  // the item's position in its account's list of items
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

// The limits for signed reasoning. The reasoning of one call is short, and is needed only until the next request of the
// conversation.
inline constexpr item_store_limits reasoning_limits{
    .bytes = 32u << 20, .share = 32, .items = 100'000, .longest = 64u << 10, .lifetime = std::chrono::seconds(3600)};

}  // namespace photofinish::gateway
