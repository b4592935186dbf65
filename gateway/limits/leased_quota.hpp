// What this gateway holds of a bucket that several gateways share: a slice that has left the bucket already. [pure]
// Workers take of it, each with one atomic; the housekeeper fills it, and brings what is owed and given back to the
// store. All amounts are times, as token_bucket has them.
#pragma once

#include "gateway/limits/token_bucket.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace photofinish::gateway {

// What the store is asked for one bucket.
struct quota_demand {
  using time = token_bucket::time;
  static constexpr std::size_t ages = 4;

  time charge{0};        // taken already, without the store: it is subtracted whatever there is
  time want{0}, least{0};  // for requests that wait: all of them, and the smallest; below that nothing is of use
  time unit{0};          // of one request, as of late: spare is leased in such steps
  time held{0};          // in the cell when it was asked
  bool is_ahead = false;  // spare is wanted, too
  struct returned {
    time amount{0}, taken_ago{0};  // the first of it; the rest was taken since
  };
  std::array<returned, ages> back{};

  bool has_back() const;
  bool is_empty() const { return charge.count() == 0 && want.count() == 0 && !is_ahead && !has_back(); }
};

class leased_quota {
 public:
  using time = token_bucket::time;

  static constexpr std::chrono::milliseconds shortest_refusal{100}, longest_refusal{1'000};

  // Any thread.
  bool take(time cost);
  void put_back(time cost) { room_.fetch_add(cost.count(), std::memory_order_relaxed); }  // in the same moment
  bool is_low() const;  // it is time to fetch more; never where the store has no spare
  time room() const { return time(room_.load(std::memory_order_relaxed)); }
  // A request waits for so much.
  void want(time cost);
  // The store has said that there is not so much, a moment ago.
  bool is_refused(time cost, proxy::instant now) const;
  // Of the bucket, as the store said last, and of the cell.
  time until_room(time cost, proxy::instant now) const;
  time until_full(proxy::instant now) const;

  void owe(time cost) { owed_.fetch_add(cost.count(), std::memory_order_relaxed); }
  void give_back(time cost, proxy::instant taken_at, proxy::instant now);

  // The housekeeper's. What is collected is gone from here, and is answered or failed.
  quota_demand collect(proxy::instant now);
  void answered(const quota_demand& asked, time given, time missing, proxy::instant now);
  // It is not known whether it arrived: what is owed is owed on, what was given back is not given back twice.
  void failed(const quota_demand& asked) { owe(asked.charge); }
  // A slice that was not touched since the last call goes back. True: there is nothing in it, nor owed.
  bool rest(proxy::instant now);
  void clear();  // of another store

 private:
  static constexpr std::int64_t nothing = INT64_MAX;

  std::atomic<std::int64_t> room_{0};
  std::atomic<std::int64_t> spare_{0};  // leased ahead, the last time
  std::atomic<std::int64_t> unit_{0};
  std::atomic<std::int64_t> wanted_{0}, least_wanted_{nothing};
  std::atomic<std::int64_t> refused_cost_{nothing}, refused_until_{0}, full_at_{0};  // since the clock's epoch
  std::atomic<std::int64_t> owed_{0};
  struct returned {
    std::atomic<std::int64_t> amount{0}, first_taken_at{0};  // 0: none
  };
  std::array<returned, quota_demand::ages> back_{};  // by how long ago it was taken
  std::atomic<std::uint32_t> takes_{0};
  // The housekeeper's.
  proxy::instant leased_at_{};
  std::uint32_t takes_seen_ = 0;
};

}  // namespace photofinish::gateway
