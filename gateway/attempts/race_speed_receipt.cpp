// The receipt of a race that has ended. A race_speed, continued.
#include "gateway/attempts/race_speed.hpp"

#include "racing/adaptive/choice_terms.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_name = 256;  // of a target in a receipt: callers may name targets, too

std::string shown(const target_name& target) {
  std::string text = target.text();
  if (text.size() > longest_name) text.resize(longest_name);
  return text;
}

double seconds_between(racing::instant from, racing::instant to) {
  return std::chrono::duration<double>(to - from).count();
}

receipt_candidate candidate_of(const std::string& name, const racing::table_row& row, const racing::target_now& now) {
  receipt_candidate made;
  made.target = name.substr(0, longest_name);
  made.state = now.state;
  const double stretch = racing::stretch_of(row, now);
  made.usual = row.usual * stretch;
  made.late = row.late * stretch;
  made.errors = now.error_share.value_or(row.known.error_share);
  made.hangs = row.known.hang_share;
  made.in_flight = now.in_flight;
  made.tokens_per_second = 1 / std::max(decode_seconds_per_token(row.known, now.in_flight + 1), 1e-6);
  made.samples = row.known.samples;
  made.win_cost = now.win_cost;
  made.loss_cost = now.loss_cost;
  return made;
}

receipt_attempt attempt_of(const racing::race_report& race, const racing::attempt_report& attempt,
                           const target_name& target) {
  receipt_attempt made;
  made.target = shown(target);
  made.why = attempt.why_started;
  made.started = seconds_between(race.begun_at, attempt.started_at);
  made.ended = seconds_between(race.begun_at, attempt.ended_at);
  made.end = attempt.end;
  if (const auto& at = attempt.summary.first_token_at) made.first_token = seconds_between(race.begun_at, *at);
  if (attempt.why) made.failed = to_string(attempt.why->kind);
  made.was_observed = attempt.was_observed;
  return made;
}

}  // namespace

race_receipt race_speed::make_receipt(const race_account& record) const {
  race_receipt made;
  made.id = id_;
  made.caller = caller_;
  made.at = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  made.route = route_name_;
  made.policy = policy_;
  made.sort = sort_;
  made.board = board_->number;
  made.board_age = seconds_between(board_->at, record.race.begun_at);
  made.input_tokens = static_cast<double>(input_tokens_);
  if (setup_) {
    const racing::speed_terms& terms = setup_->terms;
    made.output_tokens = terms.output_tokens;
    const auto rows = terms.table->rows();
    for (std::size_t row = 0; row < terms.targets.size(); ++row)
      made.candidates.push_back(candidate_of(terms.route->is->targets[row], rows[row], terms.targets[row]));
  }
  for (const auto& [target, reason] : record.skipped) made.skipped.push_back({shown(target), reason});
  for (const racing::attempt_report& attempt : record.race.attempts)
    made.attempts.push_back(attempt_of(record.race, attempt, record.planned[attempt.target].target));
  made.winner = record.race.winner;
  if (choice_) made.choice = choice_of_receipt();
  return made;
}

receipt_choice race_speed::choice_of_receipt() const {
  using metrics::spent_on;
  const racing::budget_reading& budget = setup_->terms.route->reading;
  receipt_choice made{.made = *choice_, .price = budget.price, .fill = budget.fill, .usual_cost = budget.usual_cost};
  made.is_money = setup_->costs.is_money;
  made.won_cost = seen_.cost[spent_on::winner];
  made.hedge_cost = seen_.cost[spent_on::hedge];
  made.trial_cost = seen_.cost[spent_on::trial];
  made.rescue_cost = seen_.cost[spent_on::rescue];
  seen_.held_back_hedges.for_each([&](metrics::held_back, std::uint64_t count) { made.held_back += count; });
  made.predicted_p50 = predicted_p50_;
  made.predicted_p90 = predicted_p90_;
  made.predicted_p99 = predicted_p99_;
  return made;
}

}  // namespace photofinish::gateway
