#include "racing/forecast/failure_shares.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::racing {
namespace {

// Until attempts are measured, shares of failing and hanging attempts are assumed. The assumption weighs as much as
// this number of attempts. It is large enough that a target does not count as failing after a single failure.
constexpr double prior_weight = 4;
constexpr double slow_rate = 0.005;
constexpr double first_samples = 20;
// The maximum probability that an attempt will never answer, before the length of its silence is considered.
constexpr double most_dead = 0.5;
constexpr double least_dead = 0.01;
constexpr double old_enough = 0.5;    // an attempt is old if at least this share of the attempts that answer would have
                                      // answered by now
constexpr double hardly_dead = 0.1;   // if the probability that the attempt never answers is lower than this, it was
                                      // probably only slow

double weight_of(double age, std::size_t rank) { return std::exp(-age - static_cast<double>(rank) / 16); }

}  // namespace

// True if, among several callers, only this caller has had failures or hanging attempts before. The caller itself may
// be the cause: it may send prompts about which a model thinks for a minute, and then disconnect. Therefore further
// failures of this caller are ignored. If they were stored, they would also replace results of other callers.
bool failure_shares::is_known_of(caller_id caller) const {
  bool has_failed = false, have_others_answers = false;
  for (std::size_t step = 0; step < count_; ++step) {
    const outcome& each = back(step);
    if (is_bad(each) && each.caller != caller) return false;
    has_failed |= is_bad(each);
    have_others_answers |= each.caller != caller;
  }
  return has_failed && have_others_answers;
}

bool failure_shares::is_bad(const outcome& each) { return each.error > 0 || each.dead > hardly_dead; }

void failure_shares::note(const outcome& each) {
  if (is_bad(each) && is_known_of(each.caller)) return;
  outcomes_[next_] = each;
  next_ = (next_ + 1) % kept;
  count_ = std::min(count_ + 1, kept);
  const double rate = std::max(1 / (static_cast<double>(++samples_) + first_samples), slow_rate);
  usual_error_ += rate * (each.error - usual_error_);
  if (each.says_dead) usual_hang_ += rate * (each.dead - usual_hang_);
}

double failure_shares::dead(double alive) const {
  if (!(alive <= old_enough)) return 0;
  const double q = std::clamp(std::max(usual_hang_, hang_share_), least_dead, most_dead);
  return q / (q + (1 - q) * std::max(alive, 0.0));
}

double failure_shares::cut(instant at, double alive, caller_id caller) {
  const double how_surely = dead(alive);
  note({at, 0, how_surely, alive <= old_enough, caller});
  return how_surely;
}

failure_shares::sum failure_shares::errors(instant now, double fading) const {
  sum all;
  for (std::size_t step = 0; step < count_; ++step) {
    const double weight = weight_of(seconds_between(back(step).at, now) / fading, step);
    all.of += weight * back(step).error;
    all.weight += weight;
  }
  return all;
}

failure_shares::sum failure_shares::hangs(instant now, double fading, std::span<const double> silent) const {
  sum all;
  std::size_t rank = 0;
  for (const double alive : silent) {
    if (!(alive <= old_enough) || rank >= kept) continue;
    const double weight = weight_of(0, rank++);
    all.of += weight * dead(alive);
    all.weight += weight;
  }
  for (std::size_t step = 0; step < count_; ++step) {
    if (!back(step).says_dead) continue;
    const double weight = weight_of(seconds_between(back(step).at, now) / fading, rank++);
    all.of += weight * back(step).dead;
    all.weight += weight;
  }
  return all;
}

void failure_shares::weigh(instant now, double fading, std::span<const double> silent) {
  const double over = std::max(fading, 1.0);
  const sum failed = errors(now, over), hung = hangs(now, over, silent);
  error_share_ = (failed.of + prior_weight * usual_error_) / (failed.weight + prior_weight);
  hang_share_ = (hung.of + prior_weight * usual_hang_) / (hung.weight + prior_weight);
}

}  // namespace photofinish::racing
