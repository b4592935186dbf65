// A bucket from which a request takes what it may come to, and gives back what it did not use, minutes later. [pure]
// Meanwhile the bucket was refilled. What is given back is what the bucket would hold beyond that had it never been
// taken: where the bucket was full once since then, nothing, or a second bucket would open beside the first.
//
// That is the least that was missing at any moment since it was taken. It is known in steps: for each, when so little
// was missing last. Rounded down, so that the bound holds; what is lost is less than half of what was missing least.
//
// Debt closes the bucket for an hour at most. The rest is put off: it is paid by time while nothing is used, and by
// use, because each token that is used takes a second one. So a debtor gets half of its rate until all is paid.
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

  // Debt that is put off. More is forgiven: an honest request that is admitted never comes to it.
  static constexpr time most_put_off = std::chrono::hours(24);
  static constexpr time longest_owed = longest_debt + most_put_off;

  bool take(time cost, proxy::instant now);
  void charge(time cost, proxy::instant now);
  void drain(time cost, proxy::instant now);
  void empty_to(time missing, proxy::instant now);
  // In the same moment: it is as if it had never been taken.
  void undo(time cost, proxy::instant now);
  void give_back(time cost, proxy::instant taken_at, proxy::instant now);
  // `reserved` was taken for what came to `used`: the difference is charged or given back, and a debtor pays.
  void settle(time reserved, time used, proxy::instant taken_at, proxy::instant now);

  time put_off(proxy::instant now) const;

 private:
  static constexpr std::size_t steps = 6;
  static constexpr std::int64_t step(std::size_t which) { return whole.count() >> which; }

  void note(time missing, proxy::instant now);
  time least_missing_since(proxy::instant taken_at) const;
  void move_payment(time by) { paid_at_.fetch_add(by.count(), std::memory_order_relaxed); }
  void put_off_more(time debt, proxy::instant now);

  std::array<std::atomic<std::int64_t>, steps> so_little_at_{};  // no more than step(which) was missing
  std::atomic<std::int64_t> changed_at_{0};
  // When all debt is paid, if nothing more is used. It means nothing unless it is later than the bucket is full.
  std::atomic<std::int64_t> paid_at_{0};
};

}  // namespace photofinish::gateway
