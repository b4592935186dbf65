// Counts an account's running requests, and the permits for parallel requests that this gateway holds. All gateways
// share the account's permits. Both counts are in one atomic number. Otherwise the gateway might return a permit that
// is in use. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

class shared_places {
 public:
  static constexpr std::uint64_t most_places = UINT32_MAX;
  // The time that the gateway waits after a refusal before it asks the store again.
  static constexpr std::chrono::milliseconds refusal{100};

  // Admits a request if fewer than `most` requests are running. If `by_permit` is true, the request also needs an
  // unused permit. After each admitted request, leave() must be called once. Any thread may call this function.
  bool enter(std::uint64_t most, bool by_permit) {
    std::uint64_t before = both_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t running = before & most_places, permits = before >> permit_bits;
      if (running >= most || running == most_places || (by_permit && running >= permits)) return false;
      if (both_.compare_exchange_weak(before, before + 1, std::memory_order_relaxed)) return true;
    }
  }
  void leave() { both_.fetch_sub(1, std::memory_order_relaxed); }
  std::uint64_t running() const { return both_.load(std::memory_order_relaxed) & most_places; }
  std::uint64_t permits() const { return both_.load(std::memory_order_relaxed) >> permit_bits; }

  void want(std::uint64_t most) {
    most_.store(most, std::memory_order_relaxed);
    wanted_.fetch_add(1, std::memory_order_relaxed);
  }
  bool is_refused(proxy::instant now) const {
    return now.time_since_epoch().count() < refused_until_.load(std::memory_order_relaxed);
  }

  // Returns how many permits the gateway should request from the store. It needs permits for its running and waiting
  // requests, and a few more if the limit is large. Also gives up all permits above this number. Only the housekeeper
  // thread calls this function.
  std::uint64_t collect(std::uint64_t gateways) {
    constexpr std::uint64_t spare_part = 4;
    const std::uint64_t most = std::min(most_.load(std::memory_order_relaxed), most_places);
    const std::uint64_t waiting = wanted_.exchange(0, std::memory_order_relaxed);
    std::uint64_t before = both_.load(std::memory_order_relaxed), wanted = 0;
    for (;;) {
      const std::uint64_t running = before & most_places, permits = before >> permit_bits;
      const std::uint64_t share = most / (spare_part * std::max<std::uint64_t>(1, gateways));
      const std::uint64_t spare = running + waiting == 0 ? 0 : share;
      wanted = std::min(std::max(running, std::min(most, running + waiting + spare)), most_places);
      const std::uint64_t kept = std::min(permits, wanted);
      if (both_.compare_exchange_weak(before, kept << permit_bits | running, std::memory_order_relaxed)) return wanted;
    }
  }
  bool wants_more() const { return wanted_.load(std::memory_order_relaxed) > 0; }
  std::uint64_t most() const { return most_.load(std::memory_order_relaxed); }
  void answered(std::uint64_t asked, std::uint64_t permits, proxy::instant now) {
    permits = std::min(permits, most_places);
    std::uint64_t before = both_.load(std::memory_order_relaxed);
    while (!both_.compare_exchange_weak(before, permits << permit_bits | (before & most_places),
                                        std::memory_order_relaxed)) {
    }
    if (permits < asked) refused_until_.store((now + refusal).time_since_epoch().count(), std::memory_order_relaxed);
  }
  void clear() { answered(0, 0, {}); }

 private:
  static constexpr int permit_bits = 32;

  std::atomic<std::uint64_t> both_{0};
  std::atomic<std::uint64_t> most_{0}, wanted_{0};
  std::atomic<proxy::instant::rep> refused_until_{0};
};

}  // namespace photofinish::gateway
