#include "racing/race_spending.hpp"

#include <utility>

namespace photofinish::racing {

race_spending::~race_spending() { settle(0, 0); }

// Asks the budget to pay for one hedge. A race asks for one hedge at a time. The amount for an earlier hedge may still
// be unused, because a failure had already started that hedge's target. Such an amount is returned first.
hedge_answer race_spending::ask_for_hedge(double loss) {
  return_grant();
  const hedge_answer answer = budget_->take_for_hedge(loss, caller_);
  if (answer == hedge_answer::granted) granted_ = loss;
  return answer;
}

void race_spending::return_grant() {
  if (granted_ > 0) budget_->give_back(std::exchange(granted_, 0), purse::bucket);
}

bool race_spending::take_for_keep(double cost) {
  if (budget_->take_for_hedge(cost, caller_) != hedge_answer::granted) return false;
  kept_ += cost;
  return true;
}

void race_spending::started(start_reason why, double loss) {
  taken_part& mine = taken_.emplace_back();
  if (why == start_reason::probe) mine = {std::exchange(unstarted_probe_, 0), probe_from_};
  if (why == start_reason::hedge || why == start_reason::twin) mine = {std::exchange(granted_, 0), purse::bucket};
  if (why == start_reason::rescue) budget_->take_for_rescue(loss);
}

void race_spending::failed(std::size_t attempt) {
  taken_part& mine = taken_[attempt];
  if (mine.cost > 0) budget_->give_back(std::exchange(mine.cost, 0), mine.from);
}

void race_spending::settle(double hedge_cost, double trial_cost) {
  return_grant();
  double hedges = std::exchange(kept_, 0), trials = std::exchange(unstarted_probe_, 0);
  for (taken_part& each : taken_) {
    const bool is_trial = each.from == purse::stock;
    (is_trial ? trials : hedges) += std::exchange(each.cost, 0);
  }
  if (probe_from_ == purse::bucket) hedges += std::exchange(trials, 0), hedge_cost += std::exchange(trial_cost, 0);
  if (hedges != hedge_cost) budget_->give_back(hedges - hedge_cost, purse::bucket);
  if (trials != trial_cost) budget_->give_back(trials - trial_cost, purse::stock);
}

}  // namespace photofinish::racing
