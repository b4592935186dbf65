// Holds a gateway's slice of a bucket that several gateways share. The slice is an amount that this gateway has leased,
// so the shared bucket no longer contains it. [pure] Workers take from the slice with one atomic operation each. The
// housekeeper refills it, and reports to the store which amounts the gateway owes and returns. All amounts are times,
// as in token_bucket.
#pragma once

#include "gateway/limits/token_bucket.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace photofinish::gateway {

// The demand for quota of one bucket that a gateway sends to the store.
struct quota_demand {
  using time = token_bucket::time;
  static constexpr std::size_t ages = 4;

  // The amount that requests took without asking the store. The store subtracts it even from an empty bucket.
  time charge{0};
  time want{0}, least{0};  // the sum of the amounts that waiting requests need, and the smallest of these amounts
  time unit{0};          // the amount of one recent request; the store leases spare quota in multiples of it
  time held{0};          // the amount of leased quota that the gateway had when it made the demand
  bool is_ahead = false;  // true if the gateway also wants spare quota
  struct returned {
    time amount{0}, taken_ago{0};  // the returned amount, and the time since the first part of it was taken
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
  // Undoes take(). Call put_back() immediately after take(), because the bucket may refill later.
  void put_back(time cost) { room_.fetch_add(cost.count(), std::memory_order_relaxed); }
  bool is_low() const;  // returns true if the gateway should lease more quota; false if the store has no spare quota
  time room() const { return time(room_.load(std::memory_order_relaxed)); }
  // Registers a waiting request that needs this amount.
  void want(time cost);
  // Returns true if the store has just reported that the shared bucket has less than this amount.
  bool is_refused(time cost, proxy::instant now) const;
  // until_room() and until_full() consider the leased quota, and the state of the shared bucket that the store last
  // reported.
  time until_room(time cost, proxy::instant now) const;
  time until_full(proxy::instant now) const;

  void owe(time cost) { owed_.fetch_add(cost.count(), std::memory_order_relaxed); }
  void give_back(time cost, proxy::instant taken_at, proxy::instant now);

  // Only the housekeeper calls the following functions. collect() moves the demand out of this object. After collect(),
  // call answered() or failed() for the demand.
  quota_demand collect(proxy::instant now);
  void answered(const quota_demand& asked, time given, time missing, proxy::instant now);
  // Handles a demand without a reply. It is unknown if the store has received the demand. The gateway still owes the
  // charged amount, but does not return unused quota a second time.
  void failed(const quota_demand& asked) { owe(asked.charge); }
  // Marks the leased quota for return if no request has used it since the last call of rest(). Returns true if no quota
  // is left and the gateway owes nothing.
  bool rest(proxy::instant now);
  void clear();  // call clear() after the gateway has changed to another store

 private:
  static constexpr std::int64_t nothing = INT64_MAX;

  std::atomic<std::int64_t> room_{0};
  std::atomic<std::int64_t> spare_{0};  // the amount that was last leased in advance
  std::atomic<std::int64_t> unit_{0};
  std::atomic<std::int64_t> wanted_{0}, least_wanted_{nothing};
  // The cost that the store last refused, the time when this refusal expires, and the time when the shared bucket is
  // full. Both times are counted from the clock's epoch.
  std::atomic<std::int64_t> refused_cost_{nothing}, refused_until_{0}, full_at_{0};
  std::atomic<std::int64_t> owed_{0};
  struct returned {
    // The returned amount and the time when its first part was taken; both 0 if nothing was returned.
    std::atomic<std::int64_t> amount{0}, first_taken_at{0};
  };
  std::array<returned, quota_demand::ages> back_{};  // the returned amounts, one entry for each age
  std::atomic<std::uint32_t> takes_{0};
  // Only the housekeeper uses the following members.
  proxy::instant leased_at_{};
  std::uint32_t takes_seen_ = 0;
};

}  // namespace photofinish::gateway
