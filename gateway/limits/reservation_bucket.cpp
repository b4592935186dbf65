#include "gateway/limits/reservation_bucket.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

void move_on(std::atomic<std::int64_t>& last, std::int64_t at) {
  std::int64_t before = last.load(std::memory_order_relaxed);
  while (before < at && !last.compare_exchange_weak(before, at, std::memory_order_relaxed)) {
  }
}

}  // namespace

// Takes the cost. Each function of this class first records a change and then makes it. If give_back() runs between
// these two steps, it may return too little, but never too much.
bool reservation_bucket::take(time cost, proxy::instant now) {
  note(until_full(now), now);
  const bool is_debtor = put_off(now).count() > 0;
  if (!token_bucket::take(cost, now)) return false;
  if (is_debtor) move_payment(cost);
  return true;
}

void reservation_bucket::charge(time cost, proxy::instant now) {
  note(until_full(now), now);
  const time before = put_off(now), beyond = token_bucket::charge(cost, now);
  if (before + beyond > time(0)) put_off_more(before + beyond, now);
}

void reservation_bucket::drain(time cost, proxy::instant now) {
  note(until_full(now), now);
  token_bucket::drain(cost, now);
}

void reservation_bucket::empty_to(time missing, proxy::instant now) {
  note(until_full(now), now);
  token_bucket::empty_to(missing, now);
}

void reservation_bucket::undo(time cost, proxy::instant now) {
  if (put_off(now).count() > 0) move_payment(-cost);
  token_bucket::give_back(cost);
}

void reservation_bucket::settle(time reserved, time used, proxy::instant taken_at, proxy::instant now) {
  if (used > reserved) charge(used - reserved, now);
  else give_back(reserved - used, taken_at, now);
  // Uses the bucket to pay some of the deferred debt. If two workers do this at the same time, they may pay for the
  // same part of the debt twice.
  const time paid = std::min(used, put_off(now));
  if (paid.count() == 0) return;
  note(until_full(now), now);
  token_bucket::charge(paid, now);
}

void reservation_bucket::give_back(time cost, proxy::instant taken_at, proxy::instant now) {
  const time missing = until_full(now);
  const time back = std::min({cost, missing, least_missing_since(taken_at)});
  if (back.count() <= 0) return;
  note(missing - back, now);
  if (put_off(now).count() > 0) move_payment(-back);
  token_bucket::give_back(back);
}

token_bucket::time reservation_bucket::put_off(proxy::instant now) const {
  const std::int64_t at = since_epoch(now), paid_at = paid_at_.load(std::memory_order_relaxed);
  if (paid_at <= at) return time(0);
  return std::max(time(0), time(paid_at - at) - until_full(now));
}

void reservation_bucket::put_off_more(time debt, proxy::instant now) {
  const time until_paid = until_full(now) + std::min(debt, most_put_off);
  paid_at_.store(since_epoch(now) + until_paid.count(), std::memory_order_relaxed);
}

void reservation_bucket::note(time missing, proxy::instant now) {
  const std::int64_t at = since_epoch(now);
  move_on(changed_at_, at);
  for (std::size_t each = 0; each < steps && missing.count() <= step(each); ++each) move_on(so_little_at_[each], at);
}

// Returns the smallest amount that was missing from the bucket at any moment since `taken_at`. If the bucket has not
// changed since then, this is the amount that is missing now.
token_bucket::time reservation_bucket::least_missing_since(proxy::instant taken_at) const {
  const std::int64_t since = since_epoch(taken_at);
  if (changed_at_.load(std::memory_order_relaxed) <= since) return time::max();
  for (std::size_t each = 0; each < steps; ++each)
    if (so_little_at_[each].load(std::memory_order_relaxed) <= since) return time(step(each));
  return time(0);
}

}  // namespace photofinish::gateway
