// What a route may spend on attempts that lose, as a share of what its winners cost; what a hedge must bring. [pure]
//   bucket  each winner fills it by .91 x share x its cost; it holds at most a minute's worth, or three usual requests;
//           each hedge takes what it would lose. A full minute over .91 makes 1.00 over ten: bounded by construction
//   stock   a fifth of that, for probes
//   price   seconds that a usual request's cost must save: it rises as the bucket empties, and until the share is spent
// Workers take and give by atomics, without a lock; the housekeeper's tick makes the price. A rescue is never asked: it
// takes what there is. A debt would keep hedges from preventing the next rescue.
// Callers: in the last quarter of the bucket one caller's hedges take no more than its own winners have brought in the
// last minute, and a quarter of the bucket, while another asks, too.
#pragma once

#include "racing/forecast/attempt_event.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace photofinish::racing {

struct budget_reading {
  double price = 0;       // seconds for a usual request's cost
  double usual_cost = 0;
  double bucket = 0, stock = 0;
  double capacity = 0;    // of both
  double fill = 0.5;      // of the bucket, -1 (in debt) to 1
  double objective = 0;   // mean seconds of what `sort` names
};

// What pays: hedges and trials of surprises from the bucket, other trials from the stock.
enum class purse { bucket, stock };

enum class hedge_answer { granted, empty, others_first };

class speculation_budget {
 public:
  explicit speculation_budget(double share);

  // Workers. Costs are in one unit: money, or tokens where prices are not known.
  void expect(double cost);  // the first request's: before any winner it stands for the usual one
  hedge_answer take_for_hedge(double loss, caller_id caller);
  bool take_for_probe(double loss);
  void take_for_rescue(double loss);
  void give_back(double cost, purse to);  // what was taken, less what was lost; negative where more was lost
  void won(double cost, double objective_seconds, caller_id caller);
  void correct(double by);      // the winner's cost was expected to be so much less

  // The housekeeper, once a second.
  budget_reading tick(double seconds);

  double share() const { return share_; }
  double bucket() const { return bucket_.load(std::memory_order_relaxed); }
  double stock() const { return stock_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t callers = 64;  // by their fingerprints' remainder: some share a place
  struct caller_account { std::atomic<double> brought{0}, taken{0}, asked{0}; };

  void fill(double cost);
  void fade_callers(double kept);
  void move_price(double seconds);

  const double share_;
  std::atomic<double> bucket_{0}, stock_{0}, bucket_size_{0}, stock_size_{0};
  std::atomic<double> won_{0}, spent_{0}, objectives_{0};  // since the last tick
  std::atomic<double> winners_{0};
  std::atomic<double> asked_{0};  // all callers, of the last minute
  std::atomic<double> usual_{0};
  std::array<caller_account, callers> callers_;
  // The housekeeper's alone.
  double recent_won_ = 0, recent_spent_ = 0;  // of about a minute
  double mean_objective_ = 0, price_ = 0, counted_ = 0;
};

}  // namespace photofinish::racing
