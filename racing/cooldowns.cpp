#include "racing/cooldowns.hpp"

#include <algorithm>

namespace photofinish::racing {

using std::chrono::milliseconds;

bool cooldowns::note(const attempt_sample& sample, instant now) {
  if (!sample.failed) {
    const auto found = records_.find(sample.runner);
    if (found == records_.end()) return false;
    const bool was_cooling = now < found->second.cools_until;
    records_.erase(found);
    return was_cooling;
  }
  const proxy::failure_kind kind = *sample.failed;
  const bool is_limit = kind == proxy::failure_kind::rate_limited || kind == proxy::failure_kind::quota;
  if (!is_limit && !counts_when_repeated(kind)) return false;
  if (records_.size() >= max_runners) forget_stale(now);
  if (records_.size() >= max_runners && !records_.contains(sample.runner)) return false;
  record& each = records_[sample.runner];
  ++each.failures_in_a_row;
  if (is_limit) {
    const milliseconds usual = kind == proxy::failure_kind::quota ? quota_default : rate_limited_default;
    return cool(each, sample.retry_after.value_or(usual), now);
  }
  if (each.failures_in_a_row < repeated) return false;
  const std::size_t doublings = std::min<std::size_t>(each.failures_in_a_row - repeated, 7);
  return cool(each, sample.retry_after.value_or(repeated_default * (1 << doublings)), now);
}

scoreboard cooldowns::snapshot(instant now) const {
  scoreboard board;
  for (const auto& [runner, each] : records_)
    if (now < each.cools_until) board.cools_until.emplace(runner, each.cools_until);
  return board;
}

// A refused key or a bad request says nothing about the next caller's.
bool cooldowns::counts_when_repeated(proxy::failure_kind kind) {
  switch (kind) {
    case proxy::failure_kind::auth:
    case proxy::failure_kind::bad_request:
    case proxy::failure_kind::cancelled:
    case proxy::failure_kind::busy:
      return false;
    default:
      return true;
  }
}

bool cooldowns::cool(record& each, milliseconds length, instant now) {
  const instant until = now + std::clamp<milliseconds>(length, milliseconds{0}, longest);
  if (until <= each.cools_until) return false;
  each.cools_until = until;
  return true;
}

void cooldowns::forget_stale(instant now) {
  std::erase_if(records_, [now](const auto& entry) { return entry.second.cools_until <= now; });
}

}  // namespace photofinish::racing
