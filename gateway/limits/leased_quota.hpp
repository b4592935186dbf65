// Holds the part of one limit's quota that this gateway has leased. Several gateways share the limit's bucket in the
// store, and leased quota is no longer in this bucket. Workers take quota with one atomic operation. The housekeeper
// thread leases more quota. It also reports to the store how much the gateway has used without a lease, and how much
// quota the gateway returns. As in token_bucket, amounts are measured in the time that the bucket needs to refill them.
// [pure]
#pragma once

#include "gateway/limits/token_bucket.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace photofinish::gateway {

// A gateway's request to the store for quota from one shared bucket.
struct quota_demand {
  using time = token_bucket::time;
  static constexpr std::size_t ages = 4;

  // The amount that requests used without leased quota. The store subtracts this amount even if the bucket is empty.
  time charge{0};
  // The amount that all waiting requests need together, and the smallest amount that is enough for at least one of
  // them.
  time want{0}, least{0};
  time unit{0};          // the amount of one recent request; spare quota is leased in multiples of this amount
  time held{0};          // the amount of leased quota that the gateway had when it asked for more
  bool is_ahead = false;  // true if the gateway also wants quota in advance
  struct returned {
    // An amount that the gateway returns, and the time since the first part of this amount was taken.
    time amount{0}, taken_ago{0};
  };
  std::array<returned, ages> back{};

  bool has_back() const;
  bool is_empty() const { return charge.count() == 0 && want.count() == 0 && !is_ahead && !has_back(); }
};

class leased_quota {
 public:
  using time = token_bucket::time;

  static constexpr std::chrono::milliseconds shortest_refusal{100}, longest_refusal{1'000};

  // Any thread may call the following functions.
  bool take(time cost);
  // Returns an amount that take() has just taken. Call put_back() immediately after take(), before the bucket refills.
  void put_back(time cost) { room_.fetch_add(cost.count(), std::memory_order_relaxed); }
  bool is_low() const;  // true if the gateway should lease more quota; false while the store has none to spare
  time room() const { return time(room_.load(std::memory_order_relaxed)); }
  // Registers a waiting request that needs this amount.
  void want(time cost);
  // Returns true if the store has recently reported that the shared bucket contains less than this amount.
  bool is_refused(time cost, proxy::instant now) const;
  // until_room() and until_full() are computed from the leased quota and the last known level of the shared bucket.
  time until_room(time cost, proxy::instant now) const;
  time until_full(proxy::instant now) const;

  void owe(time cost) { owed_.fetch_add(cost.count(), std::memory_order_relaxed); }
  void give_back(time cost, proxy::instant taken_at, proxy::instant now);

  // Only the housekeeper thread may call the following functions. collect() returns the quota that the gateway wants to
  // lease or return. After each call of collect(), answered() or failed() must be called.
  quota_demand collect(proxy::instant now);
  void answered(const quota_demand& asked, time given, time missing, proxy::instant now);
  // Handles a request for quota that got no reply, so it is unknown whether the store received it. The amount that this
  // gateway has used is sent again with the next request for quota. Unused quota that this gateway has returned is not
  // sent again, because the store could count it twice.
  void failed(const quota_demand& asked) { owe(asked.charge); }
  // Call this function regularly. If no request has taken quota since the last call, all leased quota is returned the
  // next time that the gateway asks the store for quota. Returns true if there is nothing left to return and the
  // gateway owes nothing.
  bool rest(proxy::instant now);
  void clear();  // call this after the gateway has switched to another store

 private:
  static constexpr std::int64_t nothing = INT64_MAX;

  std::atomic<std::int64_t> room_{0};
  std::atomic<std::int64_t> spare_{0};  // the amount that was last leased in advance
  std::atomic<std::int64_t> unit_{0};
  std::atomic<std::int64_t> wanted_{0}, least_wanted_{nothing};
  // The last cost that the store refused, the time when this refusal expires, and the time when the shared bucket will
  // be full. Both times are counted from the epoch of the clock.
  std::atomic<std::int64_t> refused_cost_{nothing}, refused_until_{0}, full_at_{0};
  std::atomic<std::int64_t> owed_{0};
  struct returned {
    // The returned amount, and the time when its first part was taken. Both are 0 if nothing is to be returned.
    std::atomic<std::int64_t> amount{0}, first_taken_at{0};
  };
  std::array<returned, quota_demand::ages> back_{};  // the returned amounts, grouped by age
  std::atomic<std::uint32_t> takes_{0};
  // Only the housekeeper thread uses the following members.
  proxy::instant leased_at_{};
  std::uint32_t takes_seen_ = 0;
};

}  // namespace photofinish::gateway
