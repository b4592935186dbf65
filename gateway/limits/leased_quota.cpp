#include "gateway/limits/leased_quota.hpp"

#include "gateway/limits/reservation_bucket.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

std::int64_t on_clock(proxy::instant now) { return leased_quota::time(now.time_since_epoch()).count(); }

// If an answer ends within this time, its unused tokens stay in this gateway's leased quota, so that other requests can
// use them immediately. In such a short time, the shared bucket gets little new quota.
constexpr std::chrono::seconds short_answer{2};
// The leased quota counts as low if it is less than a quarter of the amount that was leased in advance.
constexpr std::int64_t low_part = 4;
// The index of the spare leased quota in the array `back_`. The other entries contain tokens that answers did not use,
// grouped by age.
constexpr std::size_t of_slices = 0;

std::size_t class_of(proxy::instant::duration age) {
  constexpr std::chrono::seconds some{8}, many{32};
  return age <= some ? 1 : age <= many ? 2 : 3;
}

void move_back(std::atomic<std::int64_t>& first, std::int64_t at) {
  std::int64_t before = first.load(std::memory_order_relaxed);
  while ((before == 0 || at < before) && !first.compare_exchange_weak(before, at, std::memory_order_relaxed)) {
  }
}

// Reduces `held` to at most `kept`, and returns the removed amount.
std::int64_t take_beyond(std::atomic<std::int64_t>& held, std::int64_t kept) {
  std::int64_t before = held.load(std::memory_order_relaxed);
  while (before > kept && !held.compare_exchange_weak(before, kept, std::memory_order_relaxed)) {
  }
  return std::max<std::int64_t>(0, before - kept);
}

}  // namespace

bool quota_demand::has_back() const {
  return std::any_of(back.begin(), back.end(), [](const returned& each) { return each.amount.count() > 0; });
}

bool leased_quota::take(time cost) {
  std::int64_t before = room_.load(std::memory_order_relaxed);
  while (before >= cost.count()) {
    if (!room_.compare_exchange_weak(before, before - cost.count(), std::memory_order_relaxed)) continue;
    unit_.store(cost.count(), std::memory_order_relaxed);
    takes_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

bool leased_quota::is_low() const {
  return room_.load(std::memory_order_relaxed) < spare_.load(std::memory_order_relaxed) / low_part;
}

void leased_quota::want(time cost) {
  wanted_.fetch_add(std::min(cost, token_bucket::whole).count(), std::memory_order_relaxed);
  std::int64_t least = least_wanted_.load(std::memory_order_relaxed);
  while (cost.count() < least && !least_wanted_.compare_exchange_weak(least, cost.count(), std::memory_order_relaxed)) {
  }
}

bool leased_quota::is_refused(time cost, proxy::instant now) const {
  return on_clock(now) < refused_until_.load(std::memory_order_relaxed) &&
         cost.count() >= refused_cost_.load(std::memory_order_relaxed);
}

leased_quota::time leased_quota::until_full(proxy::instant now) const {
  const std::int64_t missing = full_at_.load(std::memory_order_relaxed) - on_clock(now);
  return time(std::max<std::int64_t>(0, missing - room_.load(std::memory_order_relaxed)));
}

leased_quota::time leased_quota::until_room(time cost, proxy::instant now) const {
  return std::max(time(0), until_full(now) + cost - token_bucket::whole);
}

// Stores the time of a returned amount before the amount itself. If collect() runs between these two steps, it finds an
// earlier time or no time, so the amount only seems to be older than it is.
void leased_quota::give_back(time cost, proxy::instant taken_at, proxy::instant now) {
  if (cost.count() <= 0) return;
  if (now - taken_at <= short_answer) return put_back(cost);
  returned& its = back_[class_of(now - taken_at)];
  move_back(its.first_taken_at, on_clock(taken_at));
  its.amount.fetch_add(cost.count(), std::memory_order_relaxed);
}

quota_demand leased_quota::collect(proxy::instant now) {
  quota_demand made;
  const std::int64_t held = room_.load(std::memory_order_relaxed);
  const std::int64_t wanted = wanted_.exchange(0, std::memory_order_relaxed);
  const std::int64_t least = least_wanted_.exchange(nothing, std::memory_order_relaxed);
  made.charge = std::min(time(owed_.exchange(0, std::memory_order_relaxed)), reservation_bucket::longest_owed);
  made.held = time(held);
  made.unit = time(unit_.load(std::memory_order_relaxed));
  if (wanted > 0) {
    made.least = time(std::max<std::int64_t>(1, std::min(least, wanted) - held));
    made.want = std::clamp(time(wanted - held), made.least, std::max(made.least, token_bucket::whole));
    if (made.unit.count() == 0) made.unit = time(std::min(least, wanted));
  }
  made.is_ahead = wanted > 0 || is_low();
  // If no request is waiting, returns spare quota to the store, so that other gateways can use it. Quota becomes spare
  // when answers are shorter than expected.
  if (wanted == 0) {
    const time usual = std::clamp<time>(2 * made.unit, std::chrono::seconds(1), token_bucket::whole / 10);
    const std::int64_t spare = spare_.load(std::memory_order_relaxed);
    // Keeps at least 1.25 times the amount that was last leased in advance. The gateway may have this much after a
    // lease, because it leases more quota as soon as it has less than a quarter of the amount.
    const std::int64_t kept = std::max(usual.count(), spare + spare / low_part);
    back_[of_slices].amount.fetch_add(take_beyond(room_, kept), std::memory_order_relaxed);
    move_back(back_[of_slices].first_taken_at, on_clock(leased_at_));
  }
  for (std::size_t which = 0; which < back_.size(); ++which) {
    const time amount(back_[which].amount.exchange(0, std::memory_order_relaxed));
    const std::int64_t first = back_[which].first_taken_at.exchange(0, std::memory_order_relaxed);
    const time ago = first == 0 ? token_bucket::longest_debt : time(std::max<std::int64_t>(0, on_clock(now) - first));
    made.back[which] = {amount, std::min(ago, token_bucket::longest_debt)};
  }
  return made;
}

void leased_quota::answered(const quota_demand& asked, time given, time missing, proxy::instant now) {
  given = std::clamp(given, time(0), token_bucket::whole);
  missing = std::clamp(missing, time(0), token_bucket::longest_debt);
  full_at_.store(on_clock(now) + missing.count(), std::memory_order_relaxed);
  room_.fetch_add(given.count(), std::memory_order_relaxed);
  // If the gateway only returned quota and asked for none, the reply does not show how much the store could have
  // leased.
  if (asked.is_ahead || given.count() > 0)
    spare_.store(std::max<std::int64_t>(0, (given - asked.want).count()), std::memory_order_relaxed);
  if (given.count() > 0) leased_at_ = now;
  if (asked.want.count() == 0) return;
  if (given >= asked.least) return refused_cost_.store(nothing, std::memory_order_relaxed);
  const time cost = asked.least + asked.held;
  const time wait = missing + asked.least - token_bucket::whole;
  refused_until_.store(on_clock(now) + std::clamp<time>(wait, shortest_refusal, longest_refusal).count(),
                       std::memory_order_relaxed);
  refused_cost_.store(cost.count(), std::memory_order_relaxed);
}

bool leased_quota::rest(proxy::instant now) {
  const std::uint32_t takes = takes_.load(std::memory_order_relaxed);
  if (std::exchange(takes_seen_, takes) != takes) return false;
  move_back(back_[of_slices].first_taken_at, on_clock(leased_at_ == proxy::instant{} ? now : leased_at_));
  back_[of_slices].amount.fetch_add(take_beyond(room_, 0), std::memory_order_relaxed);
  spare_.store(0, std::memory_order_relaxed);
  const bool owes = owed_.load(std::memory_order_relaxed) > 0;
  return !owes && std::all_of(back_.begin(), back_.end(), [](const auto& each) { return each.amount.load() == 0; });
}

void leased_quota::clear() {
  for (auto* each : {&room_, &spare_, &wanted_, &refused_until_, &full_at_, &owed_}) each->store(0);
  for (auto* each : {&least_wanted_, &refused_cost_}) each->store(nothing);
  for (returned& each : back_) each.amount.store(0);
}

}  // namespace photofinish::gateway
