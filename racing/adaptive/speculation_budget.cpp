#include "racing/adaptive/speculation_budget.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

constexpr double filled = 0.91;
constexpr double probes_part = 0.2;
constexpr double minute = 60;
// The budget can always pay the cost of this number of usual requests. A new budget contains this amount.
constexpr double least_requests = 3;
// The price is adjusted so that about this share of the cost limit is spent. If the goal were the whole limit, the
// bucket would be empty half of the time.
constexpr double aimed_share = 0.85;
constexpr double price_speed = 0.04;   // per second
// The lowest price is the mean objective, times this value, divided by the budget's share of the winners' cost. The
// objective is the time in seconds to the first token, or to the end of the answer with `sort: finish`. For example, if
// the budget is 10 % of the winners' cost, the lowest price is a quarter of the mean objective.
constexpr double least_price = 0.025;
constexpr double fill_weight = 4;
constexpr double scarce = 0.25;  // if the account for hedges is fuller than this share of its maximum, callers are not
                                 // limited separately
// The need for hedges is random. Therefore a caller may spend this share of the bucket in addition to the amount that
// its own requests have added.
constexpr double own_slack = 0.25;
constexpr double most_requests = 200;  // a mean cost is computed over at most this number of requests

bool is_cost(double value) { return std::isfinite(value) && value >= 0; }

void add(std::atomic<double>& to, double value) { to.fetch_add(value, std::memory_order_relaxed); }

void fade(std::atomic<double>& each, double kept) {  // reduces an amount atomically, so that amounts that other threads
                                                     // add at the same time are not lost
  add(each, (kept - 1) * each.load(std::memory_order_relaxed));
}

bool take_if_covered(std::atomic<double>& from, double cost) {
  double held = from.load(std::memory_order_relaxed);
  while (held >= cost)
    if (from.compare_exchange_weak(held, held - cost, std::memory_order_relaxed)) return true;
  return false;
}

// Adds `cost` to an account with the maximum `size`. Returns the part of the cost that exceeds this maximum.
double pour(std::atomic<double>& into, double cost, double size) {
  double held = into.load(std::memory_order_relaxed);
  for (;;) {
    const double next = std::max(std::min(held + cost, size), std::min(held, size));
    if (into.compare_exchange_weak(held, next, std::memory_order_relaxed)) return std::max(0.0, held + cost - next);
  }
}

}  // namespace

speculation_budget::speculation_budget(double share)
    : share_(std::isfinite(share) ? std::clamp(share, 0.0, 10.0) : 0) {}

void speculation_budget::expect(double cost) {
  if (!is_cost(cost) || cost == 0) return;
  double none = 0;
  if (!usual_.compare_exchange_strong(none, cost, std::memory_order_relaxed) || share_ == 0) return;
  bucket_size_ = (1 - probes_part) * least_requests * cost;
  stock_size_ = probes_part * least_requests * cost;
  add(bucket_, bucket_size_);
  add(stock_, stock_size_);
}

hedge_answer speculation_budget::take_for_hedge(double loss, caller_id caller) {
  if (!is_cost(loss) || share_ == 0) return hedge_answer::empty;
  caller_account& own = callers_[caller % callers];
  add(own.asked, 1);
  add(asked_, 1);
  const double left = bucket_.load(std::memory_order_relaxed) - loss;
  if (left < 0) return hedge_answer::empty;
  const double size = bucket_size_.load(std::memory_order_relaxed);
  const double others = asked_.load(std::memory_order_relaxed) - own.asked.load(std::memory_order_relaxed);
  const double own_part = own.brought.load(std::memory_order_relaxed) + own_slack * size;
  if (left < scarce * size && others > 0.5 && own.taken.load(std::memory_order_relaxed) + loss > own_part)
    return hedge_answer::others_first;
  if (!take_if_covered(bucket_, loss)) return hedge_answer::empty;
  add(own.taken, loss);
  add(spent_, loss);
  return hedge_answer::granted;
}

bool speculation_budget::take_for_probe(double loss) {
  if (!is_cost(loss) || share_ == 0 || !take_if_covered(stock_, loss)) return false;
  add(spent_, loss);
  return true;
}

void speculation_budget::take_for_rescue(double loss) {
  if (!is_cost(loss) || share_ == 0) return;
  double held = bucket_.load(std::memory_order_relaxed);
  while (!bucket_.compare_exchange_weak(held, std::max(std::min(held, 0.0), held - loss), std::memory_order_relaxed)) {}
}

// Returns a cost to the account that paid it. If the account for probes is then full, the rest of the cost goes to the
// account for hedges. The income from winners is divided in the same way.
void speculation_budget::give_back(double cost, purse to) {
  if (!std::isfinite(cost) || share_ == 0) return;
  add(spent_, -cost);
  if (cost < 0) return add(to == purse::stock ? stock_ : bucket_, cost);
  if (to == purse::stock) cost = pour(stock_, cost, stock_size_.load(std::memory_order_relaxed));
  pour(bucket_, cost, bucket_size_.load(std::memory_order_relaxed));
}

void speculation_budget::fill(double cost) {
  if (share_ == 0) return;
  const double worth = filled * share_ * cost;
  if (worth < 0) return add(bucket_, worth);
  const double over = pour(stock_, probes_part * worth, stock_size_.load(std::memory_order_relaxed));
  pour(bucket_, (1 - probes_part) * worth + over, bucket_size_.load(std::memory_order_relaxed));
}

void speculation_budget::won(double cost, double objective_seconds, caller_id caller) {
  if (!is_cost(cost)) return;
  fill(cost);
  add(won_, cost);
  add(winners_, 1);
  if (is_cost(objective_seconds)) add(objectives_, objective_seconds);
  add(callers_[caller % callers].brought, filled * share_ * cost);
}

void speculation_budget::correct(double by) {
  if (!std::isfinite(by)) return;
  fill(by);
  add(won_, by);
}

budget_reading speculation_budget::tick(double seconds) {
  const double kept = std::exp(-std::clamp(seconds, 0.0, 3'600.0) / minute);
  const double won = won_.exchange(0), spent = spent_.exchange(0);
  const double winners = winners_.exchange(0), objectives = objectives_.exchange(0);
  recent_won_ = recent_won_ * kept + won;
  recent_spent_ = recent_spent_ * kept + spent;
  if (winners > 0) {
    counted_ = std::min(counted_ + winners, most_requests);
    const double rate = std::min(1.0, winners / counted_);
    mean_objective_ += rate * (objectives / winners - mean_objective_);
    usual_ = std::max(usual_ + rate * (won / winners - usual_), 0.0);
  }
  const double minutes_worth = filled * share_ * std::max(recent_won_, 0.0);
  const double capacity = share_ > 0 ? std::max(minutes_worth, least_requests * usual_) : 0;
  bucket_size_ = (1 - probes_part) * capacity;
  stock_size_ = probes_part * capacity;
  pour(bucket_, 0, bucket_size_);
  pour(stock_, 0, stock_size_);
  fade_callers(kept);
  move_price(seconds);
  const double size = bucket_size_;
  const double fill = size > 0 ? std::clamp(bucket() / size, -1.0, 1.0) : 0.5;
  const double floor = share_ > 0 ? least_price / share_ * mean_objective_ : 0;
  const double price = std::max(price_ * std::exp(fill_weight * (0.5 - fill)), floor);
  return {price, usual_, bucket(), stock(), capacity, fill, mean_objective_};
}

void speculation_budget::fade_callers(double kept) {
  for (caller_account& each : callers_) {
    fade(each.brought, kept);
    fade(each.taken, kept);
    fade(each.asked, kept);
  }
  fade(asked_, kept);
}

void speculation_budget::move_price(double seconds) {
  if (share_ == 0 || mean_objective_ <= 0) return;
  if (price_ == 0) price_ = mean_objective_;
  const double aim = aimed_share * share_ * recent_won_;
  if (aim > 0) {
    const double off = std::clamp(recent_spent_ / aim - 1, -1.0, 1.5);
    price_ *= std::exp(price_speed * std::clamp(seconds, 0.0, 10.0) * off);
  }
  price_ = std::clamp(price_, 0.05 * mean_objective_, 50 * mean_objective_);
}

}  // namespace photofinish::racing
