// How many attempts this gateway has in flight at each target, over all workers: what a provider's speed is read
// against. One atomic counter per target, touched twice per attempt; a worker finds each under a lock once.
#pragma once

#include "metrics/series.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace photofinish::gateway {

using flight_count = std::atomic<std::uint32_t>;

// Any thread. Targets are named as the metrics name them, so that there are as few.
class flight_counts {
 public:
  flight_count& of(const std::string& target) {
    const std::lock_guard lock(mutex_);
    auto& count = counts_[target];
    if (!count) count = std::make_unique<flight_count>(0);
    return *count;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<flight_count>> counts_;
};

// One worker's handles on them.
class worker_flights {
 public:
  explicit worker_flights(flight_counts& shared) : shared_(shared) {}

  flight_count& at(const metrics::target_series& target) {
    flight_count*& known = known_[&target];
    if (!known) known = &shared_.of(target.provider.name + "/" + target.model);
    return *known;
  }

 private:
  flight_counts& shared_;
  std::unordered_map<const metrics::target_series*, flight_count*> known_;
};

}  // namespace photofinish::gateway
