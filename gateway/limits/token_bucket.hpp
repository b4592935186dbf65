// A bucket that holds one minute's amount of something and refills steadily. It is one atomic: the time at which it is
// full again. [pure]
// Any thread. It holds time, not units. So if the limit changes, the used share stays the same.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

class token_bucket {
 public:
  using time = std::chrono::nanoseconds;

  static constexpr time whole = std::chrono::minutes(1);  // time that an empty bucket needs to refill
  // No debt closes a bucket for longer. reservation_bucket remembers the rest.
  static constexpr time longest_debt = std::chrono::hours(1);

  // The time in which this number of units refills at that rate. It is rounded down, so that a full bucket has room for
  // a whole minute's units. The rounding error is less than a nanosecond, which is less than one unit.
  static time time_of(std::uint64_t units, std::uint64_t per_minute);
  static std::uint64_t units_in(time room, std::uint64_t per_minute);

  // Returns false if the cost does not fit now; in that case nothing is taken.
  bool take(time cost, proxy::instant now);
  // Takes the cost even if it does not fit. Later requests wait for it, for at most one hour. Returns the part beyond
  // the hour.
  time charge(time cost, proxy::instant now);
  // Records a cost that was taken elsewhere: empties this bucket but leaves no debt.
  void drain(time cost, proxy::instant now);
  // Takes so much that at least `missing` is missing, at most a whole bucket.
  void empty_to(time missing, proxy::instant now);
  // Only immediately after the cost was taken. A bucket never holds more than its whole amount.
  void give_back(time cost) { full_at_.fetch_sub(cost.count(), std::memory_order_relaxed); }
  void undo(time cost, proxy::instant) { give_back(cost); }

  time until_full(proxy::instant now) const;              // 0: the bucket is full
  time until_room(time cost, proxy::instant now) const;   // 0: the cost fits now
  time room(proxy::instant now) const;                    // 0 if the bucket is empty or in debt

 protected:
  // The stored form of a time: nanoseconds since the clock's epoch.
  static std::int64_t since_epoch(proxy::instant now) { return time(now.time_since_epoch()).count(); }

 private:
  std::atomic<std::int64_t> full_at_{0};  // nanoseconds since the clock's epoch
};

}  // namespace photofinish::gateway
