// Counts the running attempts of this gateway, over all workers. There is a count for each target, because a target's
// speed depends on its load. There is also a count for each provider, because a setting may limit a provider's
// attempts. The counts are atomics. A worker locks a mutex only when it looks up a count for the first time.
#pragma once

#include "metrics/series.hpp"
#include "proxy/memory/counted_place.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace photofinish::gateway {

using flight_count = std::atomic<std::uint32_t>;

// Counts one attempt from its creation until this object is destroyed.
using flight_place = proxy::counted_place<std::uint32_t>;

// Adds an attempt to the count if the count is less than `most`. Otherwise returns nothing.
inline std::optional<flight_place> take_place(flight_count& count, std::size_t most) {
  flight_place taken(count);
  if (taken.number() > most) return std::nullopt;
  return taken;
}

// The counts of all targets and providers. Any thread may use them. Target names come from the metrics and provider
// names from the configuration, so the number of counts is small.
class flight_counts {
 public:
  flight_count& of(const std::string& name) {
    const std::lock_guard lock(mutex_);
    auto& count = counts_[name];
    if (!count) count = std::make_unique<flight_count>(0);
    return *count;
  }

  // Returns the current counts by the name of the target or the provider.
  std::map<std::string, std::uint32_t> now() {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::uint32_t> read;
    for (const auto& [name, count] : counts_) read.emplace(name, count->load(std::memory_order_relaxed));
    return read;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<flight_count>> counts_;
};

// Caches one worker's references to the flight counts.
class worker_flights {
 public:
  explicit worker_flights(flight_counts& shared) : shared_(shared) {}

  flight_count& at(const metrics::target_series& target) {
    flight_count*& known = known_[&target];
    if (!known) known = &shared_.of(target.provider.name + "/" + target.model);
    return *known;
  }

  flight_count& at_provider(const std::string& name) {
    flight_count*& known = providers_[name];
    // Names of targets contain a slash and names of providers do not, so the two kinds of names never collide.
    if (!known) known = &shared_.of(name);
    return *known;
  }

 private:
  flight_counts& shared_;
  std::unordered_map<const metrics::target_series*, flight_count*> known_;
  std::unordered_map<std::string, flight_count*> providers_;
};

}  // namespace photofinish::gateway
