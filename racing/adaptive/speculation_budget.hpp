// A route's budget for losing attempts, as a share of its winners' cost, and the gain that a hedge must bring. [pure]
// The budget has a bucket, a stock and a price:
// - The bucket pays for hedges, and the stock for probes. Each winner adds .91 x share x its cost, a fifth of it to the
//   stock. Each hedge and each probe takes the cost of losing. Bucket and stock together hold at most one minute's
//   income, or three usual requests. Over ten minutes this content (.09) and the income (.91) make 1.00 of the share,
//   so the cost is bounded by construction.
// - The price is the seconds that a hedge must save for the cost of a usual request. It rises as the bucket empties.
// Workers take and give by atomics, without a lock; the housekeeper's tick sets the price. A rescue needs no
// permission: it takes what the bucket has left, because a debt would keep hedges from preventing the next rescue.
//
// While another caller also asks for hedges, one caller's hedges may take only a limited part of the last quarter of
// the bucket: as much as the caller's own winners have added in the last minute, plus a quarter of the bucket.
#pragma once

#include "racing/forecast/attempt_event.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace photofinish::racing {

struct budget_reading {
  double price = 0;       // seconds per cost of a usual request
  double usual_cost = 0;
  double bucket = 0, stock = 0;
  double capacity = 0;    // size of bucket and stock together
  double fill = 0.5;      // contents of the bucket, from -1 (in debt) to 1
  double objective = 0;   // mean seconds of the quantity in `sort`
};

// The source of the payment: the bucket pays hedges and trials after surprises, the stock pays other trials.
enum class purse { bucket, stock };

enum class hedge_answer { granted, empty, others_first };

class speculation_budget {
 public:
  explicit speculation_budget(double share);

  // Called by workers. Costs are in one unit: money, or tokens if prices are unknown.
  void expect(double cost);  // cost of the first request: the usual cost until there is a winner
  hedge_answer take_for_hedge(double loss, caller_id caller);
  // `may_overdraw`: a full stock also pays a loss that is larger than itself, and is in debt afterwards.
  bool take_for_probe(double loss, bool may_overdraw = false);
  void take_for_rescue(double loss);
  void give_back(double cost, purse to);  // the amount taken minus the amount lost; negative if more was lost
  void won(double cost, double objective_seconds, caller_id caller);
  void correct(double by);      // lowers the winner's expected cost by so much

  // Called by the housekeeper once a second.
  budget_reading tick(double seconds);

  double share() const { return share_; }
  double bucket() const { return bucket_.load(std::memory_order_relaxed); }
  double stock() const { return stock_.load(std::memory_order_relaxed); }
  bool is_stock_full() const;

 private:
  // A caller's slot is its fingerprint modulo this, so some callers share a slot.
  static constexpr std::size_t callers = 64;
  struct caller_account { std::atomic<double> brought{0}, taken{0}, asked{0}; };

  void fill(double cost);
  void fade_callers(double kept);
  void move_price(double seconds);

  const double share_;
  std::atomic<double> bucket_{0}, stock_{0}, bucket_size_{0}, stock_size_{0};
  std::atomic<double> won_{0}, spent_{0}, objectives_{0};  // sums since the last tick
  std::atomic<double> winners_{0};
  std::atomic<double> asked_{0};  // requests for hedges by all callers, in the last minute
  std::atomic<double> usual_{0};
  std::array<caller_account, callers> callers_;
  // Used only by the housekeeper.
  double recent_won_ = 0, recent_spent_ = 0;  // over about a minute
  double mean_objective_ = 0, price_ = 0, counted_ = 0;
};

}  // namespace photofinish::racing
