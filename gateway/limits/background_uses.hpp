// What responses that go on behind their requests were charged, by their provider's ids: what one really used is known
// once its client asks for it. Any thread; a lock for each such response, and for each that is asked for. [pure]
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

// An estimate, and what it was taken for.
struct background_use {
  std::string route;    // metrics' label
  std::string project;  // that its request named; empty: none
  std::uint64_t input_tokens = 0, output_tokens = 0;
  double usd = 0;
  request_extent extent;  // bounds what its provider may tell later
};

class background_uses {
 public:
  explicit background_uses(std::size_t most = 20'000) : most_(most) {}

  // The oldest makes room: it stays charged as it was estimated.
  void put(const std::string& target, std::string_view id, background_use charged) {
    if (id.size() > longest_id) return;
    const std::scoped_lock lock(guard_);
    const auto at = oldest_first_.insert(oldest_first_.end(), {key_of(target, id), std::move(charged)});
    if (!by_key_.emplace(at->key, at).second) oldest_first_.erase(at);  // a provider's id that is not its own
    if (oldest_first_.size() <= most_) return;
    by_key_.erase(oldest_first_.front().key);
    oldest_first_.pop_front();
  }
  // Once.
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
  // No target's name holds a line feed.
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
