#include "racing/adaptive_planner.hpp"
#include "racing/statistics/target_sample.hpp"
#include "tests/simulation/adaptive/simulation.hpp"

#include <cmath>

namespace photofinish::racing {

race_settings simulation::settings() const {
  race_settings made;
  made.policy = how_ == racer::fallback ? race_policy::fallback : how_ == racer::hedge ? race_policy::hedge : race_policy::all;
  made.max_parallel = world_.max_parallel;
  if (options_.holds) made.wins = win_on::finish;
  made.hedge_delay = options_.hedge_delay;
  return made;
}

planned_race simulation::plan(const true_request& asked, std::uint64_t number, instant now) {
  if (how_ == racer::adaptive || how_ == racer::oracle) return plan_adaptive(asked, number, now);
  std::vector<candidate> candidates;
  for (std::size_t target = 0; target < world_.targets.size(); ++target) candidates.push_back({"t" + std::to_string(target)});
  planned_race made = std::get<planned_race>(make_plan(candidates, settings(), {}, board_, now));
  if (options_.holds && dice{seed_, number, 8}.uniform() < observed_share) made.plan.disposition = losers::observed;
  return made;
}

const target_forecast& simulation::known(std::size_t target) {
  return how_ == racer::oracle ? truths_[target] : known_.targets[target];
}

const choice_table& simulation::table_for(double tokens) {
  const std::size_t input = input_class_of(static_cast<std::uint64_t>(tokens));
  if (const auto made = tables_.find(input); made != tables_.end()) return made->second;
  if (tables_.empty()) {
    truths_.clear();
    for (std::size_t target = 0; target < world_.targets.size() && how_ == racer::oracle; ++target)
      truths_.push_back(true_forecast(world_.targets[target], second_of(known_.at), is_quick(target)));
  }
  std::vector<table_target> rows;
  for (std::size_t target = 0; target < world_.targets.size(); ++target)
    rows.push_back({&known(target), world_.targets[target].vendor});
  const value_class range = input_class(input);
  const double usual = std::sqrt(std::max(16.0, static_cast<double>(range.from)) *
                                 static_cast<double>(range.to.value_or(4 * range.from)));
  return tables_.emplace(input, choice_table(rows, usual, world_.share >= 0.3)).first->second;
}

std::vector<target_now> simulation::targets_now(const true_request& asked, double expected, instant now) const {
  std::vector<target_now> targets;
  for (std::size_t target = 0; target < world_.targets.size(); ++target) {
    target_now each;
    if (board_.is_cooling("t" + std::to_string(target), now, asked.caller)) each.state = target_state::cooling;
    each.in_flight = static_cast<double>(in_flight_[target]);
    each.input_tokens = asked.input_tokens;
    each.win_cost = win_cost(target, asked.input_tokens, expected);
    each.loss_cost = loss_cost(target, asked.input_tokens, expected);
    each.idle_seconds = seconds_between(last_started_[target], now);
    each.has_headroom = is_quick(target);
    targets.push_back(each);
  }
  return targets;
}

hold_choice simulation::whom_to_hold(const live_race& each, const ask_to_hold& asked, instant now) {
  const choice_table& table = table_for(each.asked.input_tokens);
  const std::vector<target_now> targets = targets_now(each.asked, each.expected_tokens, now);
  std::vector<finisher> known;
  for (const auto& [attempt, started, spoke] : asked.attempts) {
    const live_attempt& mine = each.attempts[attempt];
    const table_row& row = table.rows()[mine.target];
    finisher made{attempt, &row, stretch_of(row, targets[mine.target])};
    made.decode = each.expected_tokens * decode_seconds_per_token(row.known, mine.in_flight);
    made.running = seconds_between(started, now);
    if (spoke) made.spoken = seconds_between(*spoke, now);
    known.push_back(made);
  }
  return choose_hold(known);
}

planned_race simulation::plan_adaptive(const true_request& asked, std::uint64_t number, instant now) {
  const double expected = expected_length(asked);
  const std::vector<target_now> targets = targets_now(asked, expected, now);
  const choice_table& table = table_for(asked.input_tokens);
  budget_->expect(win_cost(0, asked.input_tokens, expected));
  if (price_.usual_cost == 0) price_ = budget_->tick(0);
  choice_request request;
  request.sort = world_.sort;
  request.output_tokens = expected;
  request.price = price_.price > 0 ? price_.price : table.rows()[0].alone;
  request.usual_cost = std::max(price_.usual_cost, 1e-9);
  request.may_hedge = world_.share > 0;
  request.may_hedge_twice = table.has_thirds();
  request.probe_stock = budget_->stock();
  request.bucket = budget_->bucket();
  request.draw = dice{seed_, number, 6}.uniform();
  request.may_explore = how_ == racer::adaptive;
  adaptive_choice made = choose(table, targets, request);
  if (made.probe) {
    const double loss = targets[*made.probe].loss_cost;
    const bool is_paid = made.is_probe_from_bucket ? budget_->take_for_hedge(loss, asked.caller) == hedge_answer::granted
                                                   : budget_->take_for_probe(loss);
    if (!is_paid) made.probe.reset();
  }
  if (options_.predicts) {
    constexpr std::array<double, 3> silent{0.5, 0.1, 0.01};
    for (std::size_t k = 0; k < silent.size(); ++k)
      result_.requests[number].predicted[k] = predicted_first_token(table.rows(), targets, made, silent[k]);
  }
  std::vector<std::size_t> candidates;
  for (std::size_t target = 0; target < world_.targets.size(); ++target) candidates.push_back(target);
  planned_race planned;
  planned.plan.max_parallel = world_.max_parallel;
  planned.plan.race_timeout = race_settings{}.race_timeout;
  if (options_.holds) planned.plan.wins = win_on::finish;
  apply_choice(made, candidates, {}, std::nullopt, planned);
  planned.choice = made;
  return planned;
}

}  // namespace photofinish::racing
