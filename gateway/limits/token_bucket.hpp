// A minute's worth of something, refilled steadily, as one atomic: the time at which the bucket is full again. [pure]
// Any thread. It holds time and not units: of a limit that changes, the share that is used stays.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace photofinish::gateway {

class token_bucket {
 public:
  using time = std::chrono::nanoseconds;

  static constexpr time whole = std::chrono::minutes(1);  // what an empty bucket takes to be full
  // No debt closes a bucket for longer. reservation_bucket remembers what is beyond.
  static constexpr time longest_debt = std::chrono::hours(1);

  // What so many units take to come back at that rate, rounded down, so that a full bucket holds a whole minute's: what
  // is taken at once is too cheap by less than a nanosecond, which is less than one unit.
  static time time_of(std::uint64_t units, std::uint64_t per_minute);
  static std::uint64_t units_in(time room, std::uint64_t per_minute);

  // False: it does not fit now, and nothing is taken.
  bool take(time cost, proxy::instant now);
  // Taken although it does not fit: what comes next waits for it, for an hour at most. Returns what is beyond the hour.
  time charge(time cost, proxy::instant now);
  // Taken elsewhere: it empties this one, and no more.
  void drain(time cost, proxy::instant now);
  // At least so much is missing from now on, a whole bucket at most.
  void empty_to(time missing, proxy::instant now);
  // Of what was taken at this moment. More than full it is not.
  void give_back(time cost) { full_at_.fetch_sub(cost.count(), std::memory_order_relaxed); }
  void undo(time cost, proxy::instant) { give_back(cost); }

  time until_full(proxy::instant now) const;              // 0: it is full
  time until_room(time cost, proxy::instant now) const;   // 0: it fits now
  time room(proxy::instant now) const;                    // 0 where it is empty or in debt

 protected:
  // As it is held: by the clock's epoch.
  static std::int64_t since_epoch(proxy::instant now) { return time(now.time_since_epoch()).count(); }

 private:
  std::atomic<std::int64_t> full_at_{0};  // since the clock's epoch
};

}  // namespace photofinish::gateway
