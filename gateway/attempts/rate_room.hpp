// Estimates how much of a key's rate limits is left at a target, for all workers together. The estimate is the
// provider's last report minus the attempts that were started after this report. The numbers are atomics. A worker
// locks a mutex only when it looks up a pair of key and target for the first time.
#pragma once

#include "proxy/failures/rate_headroom.hpp"
#include "proxy/loop/alarms.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace photofinish::gateway {

// The remaining requests and tokens of a key at a target. The two numbers are updated one after the other, so for a
// moment they may come from different answers. The provider's next answer updates both.
class rate_room {
 public:
  // Counts a new attempt and its estimated tokens. The caller must keep the result, and pass it to note() when the
  // answer arrives.
  struct start {
    std::uint64_t requests = 0, tokens = 0;
  };
  start started(std::uint64_t tokens) {
    return {requests_.start(1), tokens_.start(tokens)};
  }

  // Stores the rate limits that the provider reports in its answer to the attempt `by`. This report does not include
  // attempts that were started after `by`.
  void note(const proxy::rate_headroom& said, const start& by, proxy::instant now) {
    requests_.note(said.requests, said.requests_reset_ms, by.requests, now);
    tokens_.note(said.tokens, said.tokens_reset_ms, by.tokens, now);
  }

  // Returns true if the provider would reject another attempt with this many tokens.
  bool is_full(std::uint64_t tokens, proxy::instant now) const {
    return !requests_.has_room(1, now) || !tokens_.has_room(std::max<std::uint64_t>(tokens, 1), now);
  }

 private:
  class limit {
   public:
    // Adds the requests or tokens of an attempt to the total of all started attempts, and returns the new total.
    std::uint64_t start(std::uint64_t amount) {
      return started_.fetch_add(amount, std::memory_order_relaxed) + amount;
    }

    void note(std::uint32_t left, std::uint32_t reset_ms, std::uint64_t by, proxy::instant now) {
      if (left == proxy::rate_headroom::unknown) return;
      // If the provider reports no reset time, the shortest usual window of rate limits is assumed.
      const std::chrono::milliseconds rest(reset_ms > 0 ? reset_ms : 10'000);
      until_.store((now + rest).time_since_epoch().count(), std::memory_order_relaxed);
      most_.store(by + left, std::memory_order_relaxed);
    }

    bool has_room(std::uint64_t amount, proxy::instant now) const {
      if (now.time_since_epoch().count() >= until_.load(std::memory_order_relaxed)) return true;
      const std::uint64_t started = started_.load(std::memory_order_relaxed);
      const std::uint64_t most = most_.load(std::memory_order_relaxed);
      return started < most && amount <= most - started;
    }

   private:
    std::atomic<std::uint64_t> started_ = 0;  // the sum of the requests, or of the estimated tokens, of all started
                                              // attempts
    // When `started_` reaches this value, the key has used up its limit at the provider. The value is valid until the
    // time `until_`.
    std::atomic<std::uint64_t> most_ = 0;
    // The time when the provider resets the limit. It is 0 if the provider has reported no limit.
    std::atomic<proxy::instant::rep> until_ = 0;
  };

  limit requests_, tokens_;
};

// The remaining rate limits, as one rate_room for each pair of a key and a target. Any thread may use them. Clients may
// send any number of keys, so the size of the table is limited. When the table is full, all pairs are dropped. The ids
// of the pairs are the same as in the code of racing/.
class rate_rooms {
 public:
  std::shared_ptr<rate_room> of(const std::string& id) {
    const std::lock_guard lock(mutex_);
    if (rooms_.size() >= most_rooms && !rooms_.contains(id)) rooms_.clear();
    auto& room = rooms_[id];
    if (!room) room = std::make_shared<rate_room>();
    return room;
  }

 private:
  static constexpr std::size_t most_rooms = 10'000;
  std::mutex mutex_;
  // The remaining limits, by the id of the pair of a key and a target. Running attempts may still use an object that
  // was dropped from this table.
  std::map<std::string, std::shared_ptr<rate_room>> rooms_;
};

// Caches one worker's references to the remaining rate limits.
class worker_rooms {
 public:
  explicit worker_rooms(rate_rooms& shared) : shared_(shared) {}

  const std::shared_ptr<rate_room>& of(const std::string& id) {
    if (known_.size() >= most_known && !known_.contains(id)) known_.clear();
    auto& room = known_[id];
    if (!room) room = shared_.of(id);
    return room;
  }

 private:
  static constexpr std::size_t most_known = 1'000;
  rate_rooms& shared_;
  std::map<std::string, std::shared_ptr<rate_room>> known_;
};

}  // namespace photofinish::gateway
