// Indicates whether this gateway shares its accounts with other gateways. The housekeeper thread sets this state, and
// the workers read it. [pure]
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace photofinish::gateway {

enum class limit_mode : std::uint8_t {
  alone,   // there is no store, so each gateway counts only its own requests
  shared,  // requests use the quota that this gateway has leased from the store
  apart,   // the store is unreachable, so each gateway allows an equal part of every limit
};

class limit_sharing {
 public:
  static constexpr std::uint64_t most_gateways = 1000;

  void set(limit_mode mode, std::uint64_t gateways) {
    gateways_.store(static_cast<std::int64_t>(std::clamp<std::uint64_t>(gateways, 1, most_gateways)),
                    std::memory_order_relaxed);
    mode_.store(mode, std::memory_order_relaxed);
  }
  limit_mode mode() const { return mode_.load(std::memory_order_relaxed); }
  // Returns the number of running gateways that the store reported last.
  std::int64_t gateways() const { return gateways_.load(std::memory_order_relaxed); }

  // Counts a request that has waited for the store. `was_answered` is true if the store's answer arrived in time.
  void waited(bool was_answered) { (was_answered ? answered_ : late_).fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  std::uint64_t late() const { return late_.load(std::memory_order_relaxed); }

 private:
  std::atomic<limit_mode> mode_{limit_mode::alone};
  std::atomic<std::int64_t> gateways_{1};
  std::atomic<std::uint64_t> answered_{0}, late_{0};
};

}  // namespace photofinish::gateway
