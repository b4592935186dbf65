// The amounts that one race has taken from its route's budget. When the race is settled, each attempt's unused amount
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
  // `probe` is the amount that the account `probe_from` paid for the plan's probe, or 0 if the plan has no probe.
  race_spending(std::shared_ptr<speculation_budget> budget, caller_id caller, double probe, purse probe_from)
      : budget_(std::move(budget)), caller_(caller), unstarted_probe_(probe), probe_from_(probe_from) {}
  race_spending(const race_spending&) = delete;
  race_spending& operator=(const race_spending&) = delete;
  ~race_spending();  // if the race was never settled, returns all amounts to the budget

  hedge_answer ask_for_hedge(double loss);

  // Takes the cost of a loser that continues as the runner-up. Returns false if the account for hedges does not contain
  // this amount.
  bool take_for_keep(double cost);

  // Call this function for each attempt, in the order of their starts. `loss` is the cost if the attempt loses, and 0
  // if the budget does not pay for it.
  void started(start_reason why, double loss);
  // Returns the attempt's amount to the budget, because a failed attempt costs nothing.
  void failed(std::size_t attempt);

  // Call this function after the race. The arguments are the real costs of hedges and trials, without the winner's
  // cost.
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
  double granted_ = 0;          // amount granted to a hedge that has not started yet
  double kept_ = 0;
  double unstarted_probe_ = 0;
  purse probe_from_;
  std::vector<taken_part> taken_;
};

}  // namespace photofinish::racing
