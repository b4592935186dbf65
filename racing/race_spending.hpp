// The amounts that one race has taken from its route's budget, until the race is settled. Each attempt's unused amount
// goes back to the account that paid for the attempt. [pure]
#pragma once

#include "racing/adaptive/speculation_budget.hpp"
#include "racing/race.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace photofinish::racing {

class race_spending {
 public:
  // `probe` is the amount that was taken from the account `probe_from` for the plan's probe. It is 0 if the plan has no
  // probe.
  race_spending(std::shared_ptr<speculation_budget> budget, caller_id caller, double probe, purse probe_from)
      : budget_(std::move(budget)), caller_(caller), unstarted_probe_(probe), probe_from_(probe_from) {}
  race_spending(const race_spending&) = delete;
  race_spending& operator=(const race_spending&) = delete;
  ~race_spending();  // returns all amounts to the budget if the race was not run

  hedge_answer ask_for_hedge(double loss);

  // Takes the cost of a loser that continues as runner-up. Returns false if the bucket does not contain the cost.
  bool take_for_keep(double cost);

  // Call this function for each attempt in order. `loss` is 0 if the budget does not pay for the attempt.
  void started(start_reason why, double loss);
  // Returns the attempt's amount to the budget, because a failed attempt costs nothing.
  void failed(std::size_t attempt);

  // Call this function after the race. The two costs are in addition to the winner's cost.
  void settle(double hedge_cost, double trial_cost);

  speculation_budget& budget() const { return *budget_; }
  bool has_taken(std::size_t attempt) const { return taken_[attempt].cost > 0; }

 private:
  struct taken_part {
    double cost = 0;
    purse from = purse::bucket;
  };

  void return_grant();

  std::shared_ptr<speculation_budget> budget_;
  caller_id caller_;
  double granted_ = 0;          // amount that was granted to a hedge that has not started yet
  double kept_ = 0;
  double unstarted_probe_ = 0;
  purse probe_from_;
  std::vector<taken_part> taken_;
};

}  // namespace photofinish::racing
