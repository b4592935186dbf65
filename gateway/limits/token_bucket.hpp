// A bucket that holds at most one minute's amount of a limited unit, such as tokens, and refills at a steady rate. It
// consists of one atomic number: the time when the bucket will be full again. Any thread may use it. Because amounts
// are stored as times instead of units, the used share stays the same if the limit changes. [pure]
#pragma once

#include "proxy/loop/alarms.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

class token_bucket {
 public:
  using time = std::chrono::nanoseconds;

  static constexpr time whole = std::chrono::minutes(1);  // the time in which an empty bucket becomes full
  // The maximum time for which a debt closes a bucket. The class reservation_bucket defers the rest of the debt.
  static constexpr time longest_debt = std::chrono::hours(1);

  // Returns the time in which a bucket with the rate `per_minute` gets this number of units. The time is rounded down,
  // so that a full bucket always holds the units of a whole minute. The rounding error is less than a nanosecond, which
  // is less than one unit.
  static time time_of(std::uint64_t units, std::uint64_t per_minute);
  static std::uint64_t units_in(time room, std::uint64_t per_minute);

  // Takes the cost. Returns false and takes nothing if the bucket does not contain enough.
  bool take(time cost, proxy::instant now);
  // Takes the cost even if the bucket does not contain enough. After that, other requests must wait until the debt is
  // paid, for at most one hour. Returns the part of the debt beyond this hour.
  time charge(time cost, proxy::instant now);
  // Subtracts a cost that was already taken from another bucket. The bucket may become empty, but never goes into debt.
  void drain(time cost, proxy::instant now);
  // Drains the bucket until at least the amount `missing` is missing from it, or until it is empty.
  void empty_to(time missing, proxy::instant now);
  // Returns a cost to the bucket. Call this function only immediately after the cost was taken. Otherwise the bucket
  // may have refilled and would then hold more than its size.
  void give_back(time cost) { full_at_.fetch_sub(cost.count(), std::memory_order_relaxed); }
  void undo(time cost, proxy::instant) { give_back(cost); }

  time until_full(proxy::instant now) const;              // returns the time until the bucket is full; 0 if it is full
  // Returns the time until the bucket contains the cost; 0 if the bucket contains it now.
  time until_room(time cost, proxy::instant now) const;
  // Returns the amount in the bucket; 0 if the bucket is empty or in debt.
  time room(proxy::instant now) const;

 protected:
  // Converts a time to the form that buckets use: nanoseconds since the clock's epoch.
  static std::int64_t since_epoch(proxy::instant now) { return time(now.time_since_epoch()).count(); }

 private:
  std::atomic<std::int64_t> full_at_{0};  // the time when the bucket is full, in nanoseconds since the clock's epoch
};

}  // namespace photofinish::gateway
