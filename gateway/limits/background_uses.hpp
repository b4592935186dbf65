// Remembers the charges for background responses, by the provider's ids of these responses. A charge is an estimate at
// first. The real usage becomes known when the client fetches the finished response. Any thread may use this table,
// which takes a lock for each access. [pure]
#pragma once

#include "gateway/limits/bounds/usage_bounds.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

// The estimated usage of a background response, and the request to which it was charged.
struct background_use {
  std::string route;    // the route's name in metrics
  std::string project;  // the project that the request named; empty if it named none
  std::uint64_t input_tokens = 0, output_tokens = 0;
  double usd = 0;
  request_extent extent;  // the facts that limit how much usage the provider may report later
};

class background_uses {
 public:
  explicit background_uses(std::size_t most = 20'000) : most_(most) {}

  // Stores a charge. If the table is full, removes the oldest charge. The removed estimate will never be replaced by
  // the real usage.
  void put(const std::string& target, std::string_view id, background_use charged) {
    if (id.size() > longest_id) return;
    const std::scoped_lock lock(guard_);
    const auto at = oldest_first_.insert(oldest_first_.end(), {key_of(target, id), std::move(charged)});
    // if the id is already in the table, keeps the old charge and removes the new one
    if (!by_key_.emplace(at->key, at).second) oldest_first_.erase(at);
    if (oldest_first_.size() <= most_) return;
    by_key_.erase(oldest_first_.front().key);
    oldest_first_.pop_front();
  }
  // Removes a response's charge from the table and returns it, so that each charge is settled only once.
  std::optional<background_use> take(const std::string& target, std::string_view id) {
    const std::string key = key_of(target, id);
    const std::scoped_lock lock(guard_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    background_use charged = std::move(found->second->charged);
    const auto at = found->second;
    by_key_.erase(found);
    oldest_first_.erase(at);
    return charged;
  }

 private:
  static constexpr std::size_t longest_id = 512;
  // Returns the key of a response in this table. The key is unique because a target's name cannot contain a line feed.
  static std::string key_of(const std::string& target, std::string_view id) { return target + "\n" + std::string(id); }
  struct entry {
    std::string key;
    background_use charged;
  };

  const std::size_t most_;
  std::mutex guard_;
  std::list<entry> oldest_first_;
  std::map<std::string_view, std::list<entry>::iterator> by_key_;
};

}  // namespace photofinish::gateway
