// Limits the cost of a route's losing attempts to a share of its winners' cost, and determines how much time a hedge
// must save. The budget has two accounts and a price.
// - The account `bucket` pays for hedges, and the account `stock` pays for probes. Each winner adds its cost times the
//   share times .91. A fifth of this amount goes to the stock, and the rest goes to the bucket. When a hedge or a probe
//   starts, its account pays the cost that the attempt has if it loses.
// - Both accounts together contain at most the income of one minute, or the cost of three usual requests. Over ten
//   minutes, .09 of the share comes from the initial content of the accounts, and .91 from the winners. Therefore the
//   cost is always bounded.
// - The price is the number of seconds that a hedge must save if it costs as much as a usual request. The price rises
//   as the bucket empties.
// Workers take and return amounts with atomics, without a lock. The housekeeper sets the price once a second. A rescue
// needs no permission. The bucket pays for it as far as the bucket's content is sufficient. The bucket never gets into
// debt for a rescue, because a debt would prevent hedges, and hedges make rescues unnecessary. [pure]
//
// If less than a quarter of the account for hedges is left and several callers ask for hedges, the budget limits the
// cost of each caller's hedges. A caller may then spend the amount that its own winners have added in the last minute,
// plus a quarter of the account's maximum.
#pragma once

#include "racing/forecast/attempt_event.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace photofinish::racing {

struct budget_reading {
  double price = 0;       // seconds that a hedge must save if it costs as much as a usual request
  double usual_cost = 0;
  double bucket = 0, stock = 0;
  double capacity = 0;    // maximum amount of the accounts for hedges and probes together
  double fill = 0.5;      // filled share of the bucket, from -1 (in debt) to 1 (full)
  double objective = 0;   // mean seconds to the first token, or to the end with `sort: finish`
};

// The account that pays for an attempt. `bucket` pays for hedges, and for trials of targets that seem to have become
// faster. `stock` pays for all other trials.
enum class purse { bucket, stock };

enum class hedge_answer { granted, empty, others_first };

class speculation_budget {
 public:
  explicit speculation_budget(double share);

  // The functions from expect() to correct() are for the workers. All costs have the same unit: money, or tokens if a
  // price is unknown.
  // Uses this cost as the usual cost of a request until a race has a winner.
  void expect(double cost);
  hedge_answer take_for_hedge(double loss, caller_id caller);
  bool take_for_probe(double loss);
  void take_for_rescue(double loss);
  // Returns an amount to an account after an attempt has ended. `cost` is the amount taken minus the real cost, and is
  // negative if the real cost was higher.
  void give_back(double cost, purse to);
  void won(double cost, double objective_seconds, caller_id caller);
  void correct(double by);      // adds `by` to a winner's cost that was already counted

  // Sets the price of the budget, which is the number of seconds that a hedge must save for its cost. The housekeeper
  // calls this function once a second.
  budget_reading tick(double seconds);

  double share() const { return share_; }
  double bucket() const { return bucket_.load(std::memory_order_relaxed); }
  double stock() const { return stock_.load(std::memory_order_relaxed); }

 private:
  // The number of slots for callers. The slot of a caller is the caller's fingerprint modulo this number, so some
  // callers share a slot.
  static constexpr std::size_t callers = 64;
  struct caller_account { std::atomic<double> brought{0}, taken{0}, asked{0}; };

  void fill(double cost);
  void fade_callers(double kept);
  void move_price(double seconds);

  const double share_;
  std::atomic<double> bucket_{0}, stock_{0}, bucket_size_{0}, stock_size_{0};
  std::atomic<double> won_{0}, spent_{0}, objectives_{0};  // sums of costs and times since the last call of tick()
  std::atomic<double> winners_{0};
  std::atomic<double> asked_{0};  // number of hedges that all callers asked for in the last minute
  std::atomic<double> usual_{0};
  std::array<caller_account, callers> callers_;
  // Only the housekeeper's thread uses the following members.
  double recent_won_ = 0, recent_spent_ = 0;  // sums of costs over about the last minute
  double mean_objective_ = 0, price_ = 0, counted_ = 0;
};

}  // namespace photofinish::racing
