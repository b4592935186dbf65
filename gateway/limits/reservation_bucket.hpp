// A bucket for reservations. A request takes its largest possible usage, and returns the unused part minutes later.
// [pure] In these minutes the bucket has refilled. If it got the whole unused part back, it would admit more than the
// rate. Therefore it gets only the amount that it would hold now without the reservation. If the bucket was full at any
// moment since the reservation, it gets nothing.
//
// A returned amount is at most the least amount that was missing from the bucket at any moment since the reservation.
// The bucket knows this least amount in steps: for each step, it stores the last time when at most the step's amount
// was missing. The amount is rounded down, so that the bound holds. The loss is less than half of the least missing
// amount.
//
// Debt closes the bucket for at most one hour. The rest of a debt is deferred. While the bucket is not used, its refill
// pays the deferred debt. Usage also pays: for each used token, the bucket takes a second token. Therefore a debtor
// gets half of its rate until the debt is paid.
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

  // The largest debt that is deferred. The bucket forgives any debt above it. An honest request that was admitted never
  // reaches this amount.
  static constexpr time most_put_off = std::chrono::hours(24);
  static constexpr time longest_owed = longest_debt + most_put_off;

  bool take(time cost, proxy::instant now);
  void charge(time cost, proxy::instant now);
  void drain(time cost, proxy::instant now);
  void empty_to(time missing, proxy::instant now);
  // Undoes take() completely. Call undo() immediately after take().
  void undo(time cost, proxy::instant now);
  void give_back(time cost, proxy::instant taken_at, proxy::instant now);
  // Settles a request that reserved `reserved` and used `used`. Charges or returns the difference, and pays a part of
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

  // For each index, the last time when at most the amount step(index) was missing from the bucket.
  std::array<std::atomic<std::int64_t>, steps> so_little_at_{};
  std::atomic<std::int64_t> changed_at_{0};
  // The time at which all debt will be paid if no request uses the bucket. There is deferred debt only if this time is
  // later than the time at which the bucket will be full.
  std::atomic<std::int64_t> paid_at_{0};
};

}  // namespace photofinish::gateway
