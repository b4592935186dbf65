// A bucket from which a request takes what it may come to, and gives back what it did not use, minutes later. [pure]
// Meanwhile the bucket was refilled. What is given back is what the bucket would hold beyond that had it never been
// taken: where the bucket was full once since then, nothing, or a second bucket would open beside the first.
//
// That is the least that was missing at any moment since it was taken. It is known in steps: for each, when so little
// was missing last. Rounded down, so that the bound holds; what is lost is less than half of what was missing least.
#pragma once

#include "gateway/limits/token_bucket.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace photofinish::gateway {

class settled_bucket : private token_bucket {
 public:
  using token_bucket::room;
  using token_bucket::time;
  using token_bucket::until_full;
  using token_bucket::until_room;

  bool take(time cost, proxy::instant now);
  void charge(time cost, proxy::instant now);
  void drain(time cost, proxy::instant now);
  // In the same moment: it is as if it had never been taken.
  void undo(time cost) { token_bucket::give_back(cost); }
  void give_back(time cost, proxy::instant taken_at, proxy::instant now);

 private:
  static constexpr std::size_t steps = 6;
  static constexpr std::int64_t step(std::size_t which) { return whole.count() >> which; }

  void note(time missing, proxy::instant now);
  time least_missing_since(proxy::instant taken_at) const;

  std::array<std::atomic<std::int64_t>, steps> so_little_at_{};  // no more than step(which) was missing
  std::atomic<std::int64_t> changed_at_{0};
};

}  // namespace photofinish::gateway
