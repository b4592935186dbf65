#include "gateway/limits/settled_bucket.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

void move_on(std::atomic<std::int64_t>& last, std::int64_t at) {
  std::int64_t before = last.load(std::memory_order_relaxed);
  while (before < at && !last.compare_exchange_weak(before, at, std::memory_order_relaxed)) {
  }
}

}  // namespace

// Each is noted before it is done: what gives back in between finds less room, and never more.
bool settled_bucket::take(time cost, proxy::instant now) {
  note(until_full(now), now);
  return token_bucket::take(cost, now);
}

void settled_bucket::charge(time cost, proxy::instant now) {
  note(until_full(now), now);
  token_bucket::charge(cost, now);
}

void settled_bucket::drain(time cost, proxy::instant now) {
  note(until_full(now), now);
  token_bucket::drain(cost, now);
}

void settled_bucket::give_back(time cost, proxy::instant taken_at, proxy::instant now) {
  const time missing = until_full(now);
  const time back = std::min({cost, missing, least_missing_since(taken_at)});
  if (back.count() <= 0) return;
  note(missing - back, now);
  token_bucket::give_back(back);
}

void settled_bucket::note(time missing, proxy::instant now) {
  const std::int64_t at = since_epoch(now);
  move_on(changed_at_, at);
  for (std::size_t each = 0; each < steps && missing.count() <= step(each); ++each) move_on(so_little_at_[each], at);
}

// Without a change since then as much as is missing now.
token_bucket::time settled_bucket::least_missing_since(proxy::instant taken_at) const {
  const std::int64_t since = since_epoch(taken_at);
  if (changed_at_.load(std::memory_order_relaxed) <= since) return time::max();
  for (std::size_t each = 0; each < steps; ++each)
    if (so_little_at_[each].load(std::memory_order_relaxed) <= since) return time(step(each));
  return time(0);
}

}  // namespace photofinish::gateway
