#include "gateway/limits/shared_places.hpp"

#include <algorithm>

namespace photofinish::gateway {

bool shared_places::enter(std::uint64_t most, bool by_permit) {
  std::uint64_t before = both_.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t running = before & most_places, permits = before >> permit_bits;
    if (running >= most || running == most_places || (by_permit && running >= permits)) return false;
    if (both_.compare_exchange_weak(before, before + 1, std::memory_order_relaxed)) return true;
  }
}

std::uint64_t shared_places::collect(std::uint64_t gateways) {
  constexpr std::uint64_t spare_part = 4;
  const std::uint64_t most = std::min(most_.load(std::memory_order_relaxed), most_places);
  const std::uint64_t waiting = wanted_.exchange(0, std::memory_order_relaxed);
  std::uint64_t before = both_.load(std::memory_order_relaxed), wanted = 0;
  for (;;) {
    const std::uint64_t running = before & most_places, permits = before >> permit_bits;
    const std::uint64_t spare = running + waiting == 0 ? 0 : most / (spare_part * std::max<std::uint64_t>(1, gateways));
    wanted = std::min(std::max(running, std::min(most, running + waiting + spare)), most_places);
    const std::uint64_t kept = std::min(permits, wanted);
    if (both_.compare_exchange_weak(before, kept << permit_bits | running, std::memory_order_relaxed)) return wanted;
  }
}

void shared_places::answered(std::uint64_t asked, std::uint64_t permits, proxy::instant now) {
  permits = std::min(permits, most_places);
  std::uint64_t before = both_.load(std::memory_order_relaxed);
  while (!both_.compare_exchange_weak(before, permits << permit_bits | (before & most_places),
                                      std::memory_order_relaxed)) {
  }
  if (permits < asked) refused_until_.store((now + refusal).time_since_epoch().count(), std::memory_order_relaxed);
}

}  // namespace photofinish::gateway
