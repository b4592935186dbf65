// The budget of a route for losing attempts, as a share of its winners' cost, and the gain that a hedge must bring.
// [pure] The budget has a bucket, a stock and a price:
// - The bucket pays for hedges, and the stock for probes. Each winner adds .91 x share x its cost, a fifth of this
//   amount to the stock. Each hedge and each probe takes the cost of losing. Bucket and stock together hold at most one
//   minute's income, or the cost of three usual requests. Over ten minutes this content (.09) and the income (.91) make
//   1.00 of the share, so the cost is always bounded.
// - The price is the number of seconds that a hedge must save for the cost of a usual request. It rises as the bucket
//   empties.
// Workers take and give by atomics, without a lock; the housekeeper sets the price once a second. A rescue needs no
// permission: it takes what the bucket has left, because a debt would keep hedges from preventing the next rescue.
//
// If less than a quarter of the bucket is left and another caller also asks for hedges, the budget limits the cost of
// each caller's hedges: to the amount that the caller's own winners have added in the last minute, plus a quarter of
// the bucket.
#pragma once

#include "racing/forecast/attempt_event.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace photofinish::racing {

struct budget_reading {
  double price = 0;       // seconds that a hedge must save for the cost of a usual request
  double usual_cost = 0;
  double bucket = 0, stock = 0;
  double capacity = 0;    // the most that bucket and stock together may contain
  double fill = 0.5;      // filled share of the bucket, from -1 (in debt) to 1
  double objective = 0;   // mean seconds of the quantity in `sort`
};

// The account that makes a payment. The bucket pays for hedges, and for trials after surprises; the stock pays for
// other trials.
enum class purse { bucket, stock };

enum class hedge_answer { granted, empty, others_first };

class speculation_budget {
 public:
  explicit speculation_budget(double share);

  // Workers call the functions from here to correct(). All costs are in one unit: money, or tokens if prices are
  // unknown.
  void expect(double cost);  // sets the usual cost until a race has a winner: the cost of the first request
  hedge_answer take_for_hedge(double loss, caller_id caller);
  bool take_for_probe(double loss);
  void take_for_rescue(double loss);
  // Returns an unused amount to an account. `cost` is the amount taken minus the amount lost; it is negative if the
  // loss was larger.
  void give_back(double cost, purse to);
  void won(double cost, double objective_seconds, caller_id caller);
  void correct(double by);      // adds the difference to a cost that won() has counted

  // Sets the price. The housekeeper calls this function once a second.
  budget_reading tick(double seconds);

  double share() const { return share_; }
  double bucket() const { return bucket_.load(std::memory_order_relaxed); }
  double stock() const { return stock_.load(std::memory_order_relaxed); }

 private:
  // The number of slots for callers. A caller's slot is its fingerprint modulo this number, so some callers share a
  // slot.
  static constexpr std::size_t callers = 64;
  struct caller_account { std::atomic<double> brought{0}, taken{0}, asked{0}; };

  void fill(double cost);
  void fade_callers(double kept);
  void move_price(double seconds);

  const double share_;
  std::atomic<double> bucket_{0}, stock_{0}, bucket_size_{0}, stock_size_{0};
  std::atomic<double> won_{0}, spent_{0}, objectives_{0};  // sums of costs and times since the last call of tick()
  std::atomic<double> winners_{0};
  std::atomic<double> asked_{0};  // number of hedges that all callers have requested in the last minute
  std::atomic<double> usual_{0};
  std::array<caller_account, callers> callers_;
  // Only the housekeeper's thread uses the members after this line.
  double recent_won_ = 0, recent_spent_ = 0;  // sums of costs over about the last minute
  double mean_objective_ = 0, price_ = 0, counted_ = 0;
};

}  // namespace photofinish::racing
