// A bucket for reservations. A request takes the largest amount that it can use, and returns the unused part minutes
// later. Meanwhile, the bucket has refilled. If the bucket always got back the whole unused part, it would admit more
// than its rate allows. Therefore it gets back only as much as it would contain now without the reservation. If the
// bucket was full at any moment since the reservation, it gets nothing back. [pure]
//
// When a request returns an unused amount, the bucket gets back at most the smallest amount that was missing at any
// moment since the reservation. The bucket records missing amounts in steps. For each step, it stores the last time
// when no more than the step's amount was missing. The returned amount is rounded down to a step, so it is never too
// large. Rounding loses less than half of the amount.
//
// A debt closes the bucket for at most one hour. The rest of the debt is deferred. While no request uses the bucket,
// its refill pays the deferred debt. While requests use the bucket, each used token costs a second token, which pays
// the debt. Therefore a bucket with a deferred debt admits only half of its rate.
#pragma once

#include "gateway/limits/token_bucket.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace photofinish::gateway {

class reservation_bucket : private token_bucket {
 public:
  using token_bucket::room;
  using token_bucket::time;
  using token_bucket::until_full;
  using token_bucket::until_room;

  // The maximum debt that can be deferred. A larger debt is reduced to this amount. An honest request that was admitted
  // never causes this much debt.
  static constexpr time most_put_off = std::chrono::hours(24);
  static constexpr time longest_owed = longest_debt + most_put_off;

  bool take(time cost, proxy::instant now);
  void charge(time cost, proxy::instant now);
  void drain(time cost, proxy::instant now);
  void empty_to(time missing, proxy::instant now);
  // Returns the whole amount that take() has just taken. Call this function immediately after take().
  void undo(time cost, proxy::instant now);
  void give_back(time cost, proxy::instant taken_at, proxy::instant now);
  // Settles a request that has reserved `reserved` and used `used`. Charges or returns the difference, and pays some of
  // the deferred debt.
  void settle(time reserved, time used, proxy::instant taken_at, proxy::instant now);

  time put_off(proxy::instant now) const;

 private:
  static constexpr std::size_t steps = 6;
  static constexpr std::int64_t step(std::size_t which) { return whole.count() >> which; }

  void note(time missing, proxy::instant now);
  time least_missing_since(proxy::instant taken_at) const;
  void move_payment(time by) { paid_at_.fetch_add(by.count(), std::memory_order_relaxed); }
  void put_off_more(time debt, proxy::instant now);

  // The last time, for each step, when no more than the amount step(index) was missing from the bucket.
  std::array<std::atomic<std::int64_t>, steps> so_little_at_{};
  std::atomic<std::int64_t> changed_at_{0};
  // The time when all debt will be paid if no request uses the bucket. If this time is later than the time when the
  // bucket will be full, some debt is deferred.
  std::atomic<std::int64_t> paid_at_{0};
};

}  // namespace photofinish::gateway
