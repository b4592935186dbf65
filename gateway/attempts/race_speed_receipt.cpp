// The receipt of a race that has ended. A race_speed, continued.
#include "gateway/attempts/race_speed.hpp"

#include "gateway/attempts/receipt_parts.hpp"
#include "racing/adaptive/choice_terms.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

// From an attempt's start to the end of its answer.
double finish_of(const racing::table_row& row, const racing::target_now& now, double output_tokens) {
  return row.usual * racing::stretch_of(row, now) +
         output_tokens * decode_seconds_per_token(row.known, now.in_flight + 1);
}

receipt_candidate candidate_of(const std::string& name, const racing::table_row& row, const racing::target_now& now,
                               double output_tokens) {
  receipt_candidate made;
  made.target = name.substr(0, longest_receipt_name);
  made.state = now.state;
  const double stretch = racing::stretch_of(row, now);
  made.usual = row.usual * stretch;
  made.late = row.late * stretch;
  made.errors = now.error_share.value_or(row.known.error_share);
  made.hangs = row.known.hang_share;
  made.in_flight = now.in_flight;
  made.tokens_per_second = 1 / std::max(decode_seconds_per_token(row.known, now.in_flight + 1), 1e-6);
  made.finish = finish_of(row, now, output_tokens);
  made.level = std::exp(row.known.level);
  made.shift = row.known.shift;
  made.spread = row.known.shape.spread();
  made.has_headroom = now.has_headroom;
  made.samples = row.known.samples;
  made.win_cost = now.win_cost;
  made.loss_cost = now.loss_cost;
  return made;
}

}  // namespace

race_receipt race_speed::receipt_of(const race_account& record) const {
  race_receipt made = make_receipt(head_, record, record.ended_at);
  made.sort = sort_;
  made.board = board_number_;
  made.board_age = racing::seconds_between(board_at_, record.race.begun_at);
  made.input_tokens = static_cast<double>(input_tokens_);
  if (setup_) {
    const racing::speed_terms& terms = setup_->terms;
    made.output_tokens = terms.output_tokens;
    for (std::size_t row = 0; row < terms.targets.size(); ++row)
      made.candidates.push_back(
          candidate_of(compared_->targets[row], (*rows_)[row], terms.targets[row], terms.output_tokens));
    made.predicted_end = predicted_end(record.race);
  }
  if (choice_) made.choice = choice_of_receipt();
  return made;
}

std::optional<double> race_speed::predicted_end(const racing::race_report& race) const {
  if (!race.winner || places_[*race.winner].row == no_row) return std::nullopt;
  const std::size_t row = places_[*race.winner].row;
  return racing::seconds_between(race.begun_at, race.attempts[*race.winner].started_at) +
         finish_of((*rows_)[row], setup_->terms.targets[row], setup_->terms.output_tokens);
}

receipt_choice race_speed::choice_of_receipt() const {
  using metrics::spent_on;
  receipt_choice made{.made = *choice_, .price = reading_.price, .fill = reading_.fill,
                      .usual_cost = reading_.usual_cost};
  made.is_money = setup_->costs.is_money;
  made.won_cost = seen_.cost[spent_on::winner];
  made.hedge_cost = seen_.cost[spent_on::hedge];
  made.trial_cost = seen_.cost[spent_on::trial];
  made.rescue_cost = seen_.cost[spent_on::rescue];
  seen_.held_back_hedges.for_each([&](metrics::held_back, std::uint64_t count) { made.held_back += count; });
  if (seen_.deadline) made.deadline = to_string(*seen_.deadline);
  made.predicted_p50 = predicted_p50_;
  made.predicted_p90 = predicted_p90_;
  made.predicted_p99 = predicted_p99_;
  return made;
}

}  // namespace photofinish::gateway
