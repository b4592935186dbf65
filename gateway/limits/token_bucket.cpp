#include "gateway/limits/token_bucket.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::gateway {
namespace {

// The maximum time that one charge can add: ten years in nanoseconds. A sum of several charges stays far below the
// 64-bit limit, even if a provider reports impossible usage.
constexpr double longest = 315e15;

}  // namespace

token_bucket::time token_bucket::time_of(std::uint64_t units, std::uint64_t per_minute) {
  const double of_one = static_cast<double>(whole.count()) / static_cast<double>(per_minute);
  const double exact = static_cast<double>(units) * of_one;
  return time(static_cast<std::int64_t>(std::floor(std::min(exact, longest))));
}

std::uint64_t token_bucket::units_in(time room, std::uint64_t per_minute) {
  // Adds one nanosecond, so that rounding does not turn 29 of 100 units into 28.
  const double share = (static_cast<double>(room.count()) + 1) / static_cast<double>(whole.count());
  return static_cast<std::uint64_t>(share * static_cast<double>(per_minute));
}

bool token_bucket::take(time cost, proxy::instant now) {
  const std::int64_t at = since_epoch(now);
  std::int64_t before = full_at_.load(std::memory_order_relaxed);
  for (;;) {
    const std::int64_t after = std::max(before, at) + cost.count();
    if (after - at > whole.count()) return false;
    if (full_at_.compare_exchange_weak(before, after, std::memory_order_relaxed)) return true;
  }
}

token_bucket::time token_bucket::charge(time cost, proxy::instant now) {
  const std::int64_t at = since_epoch(now);
  std::int64_t before = full_at_.load(std::memory_order_relaxed);
  for (;;) {
    const std::int64_t owed = std::max(before, at) + cost.count();
    const std::int64_t after = std::max(before, std::min(owed, at + longest_debt.count()));
    if (full_at_.compare_exchange_weak(before, after, std::memory_order_relaxed)) return time(owed - after);
  }
}

void token_bucket::drain(time cost, proxy::instant now) {
  const std::int64_t at = since_epoch(now);
  std::int64_t before = full_at_.load(std::memory_order_relaxed);
  const auto after = [&] {
    return std::max(before, std::min(std::max(before, at) + cost.count(), at + whole.count()));
  };
  while (!full_at_.compare_exchange_weak(before, after(), std::memory_order_relaxed)) {
  }
}

void token_bucket::empty_to(time missing, proxy::instant now) {
  if (missing <= time(0)) return;
  const std::int64_t least = since_epoch(now) + std::min(missing, whole).count();
  std::int64_t before = full_at_.load(std::memory_order_relaxed);
  while (before < least && !full_at_.compare_exchange_weak(before, least, std::memory_order_relaxed)) {
  }
}

token_bucket::time token_bucket::until_full(proxy::instant now) const {
  return time(std::max<std::int64_t>(0, full_at_.load(std::memory_order_relaxed) - since_epoch(now)));
}

token_bucket::time token_bucket::until_room(time cost, proxy::instant now) const {
  return std::max(time(0), until_full(now) + cost - whole);
}

token_bucket::time token_bucket::room(proxy::instant now) const { return std::max(time(0), whole - until_full(now)); }

}  // namespace photofinish::gateway
