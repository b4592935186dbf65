#include "gateway/attempts/race_speed.hpp"

#include "gateway/records/account_rules.hpp"
#include "racing/cooldowns.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace photofinish::gateway {
namespace {

using metrics::spent_on;
using racing::attempt_step;
using racing::start_reason;

constexpr racing::route_number no_route = std::numeric_limits<racing::route_number>::max();

// The request's own fault, or ours, says nothing about the target.
bool is_the_targets(const proxy::maybe_failure& why) {
  return why && why->origin != proxy::failure_origin::gateway &&
         racing::blame_for(why->kind, why->status) != racing::blame::request;
}

double seconds_of(const proxy::stream_summary& answer) {
  if (!answer.first_token_at || !answer.last_token_at || answer.is_unstreamed) return 0;
  return std::max(0.0, std::chrono::duration<double>(*answer.last_token_at - *answer.first_token_at).count());
}

metrics::start_cause cause_of(start_reason why) {
  switch (why) {
    case start_reason::first: return metrics::start_cause::first;
    case start_reason::probe: return metrics::start_cause::trial;
    case start_reason::hedge: return metrics::start_cause::hedge;
    case start_reason::failure: return metrics::start_cause::failure;
    case start_reason::rescue: return metrics::start_cause::rescue;
  }
  return metrics::start_cause::first;
}

// None for an attempt that makes no further one of a race.
std::optional<spent_on> spent_for(start_reason why) {
  switch (why) {
    case start_reason::probe: return spent_on::trial;
    case start_reason::hedge: return spent_on::hedge;
    case start_reason::rescue: return spent_on::rescue;
    case start_reason::first:
    case start_reason::failure: return std::nullopt;
  }
  return std::nullopt;
}

// What the winner read and wrote.
proxy::billed_tokens tokens_of(const race_account& record, std::uint64_t input_tokens) {
  constexpr std::uint64_t bytes_per_token = 4;
  if (!record.race.winner) return {.input = input_tokens};
  const proxy::stream_summary& answer = record.race.attempts[*record.race.winner].summary;
  if (!answer.usage) return {.input = input_tokens, .output = answer.text_bytes / bytes_per_token};
  return {.input = answer.usage->input_tokens, .cached_input = answer.usage->cached_input_tokens,
          .output = answer.usage->output_tokens, .reasoning = answer.usage->reasoning_tokens};
}

}  // namespace

race_speed::race_speed(std::shared_ptr<const racing::speed_board> board, step_sender& steps, std::string id,
                       const ask& asked, racing::caller_id caller, race_setup& setup)
    : board_(std::move(board)),
      steps_(steps),
      id_(std::move(id)),
      route_name_(setup.route),
      policy_(setup.planned.plan.policy),
      caller_(caller),
      input_tokens_(input_tokens_of(asked)),
      max_tokens_(max_tokens_of(asked)),
      setup_(std::move(setup.speed)),
      choice_(setup.planned.choice),
      sort_(racing::sort_of(setup.settings)) {
  const racing::route_speed* route = board_->route(setup.route);
  route_ = route ? route->number : no_route;
  places_.reserve(setup.planned.chosen.size());
  for (const std::size_t candidate : setup.planned.chosen) {
    place& each = places_.emplace_back();
    each.key = key_print(setup.candidates[candidate]);
    if (!setup_) continue;
    const auto& rows = setup_->terms.candidates;
    const auto row = std::find(rows.begin(), rows.end(), candidate);
    if (row != rows.end()) each.row = static_cast<std::size_t>(row - rows.begin());
  }
  if (has_budget()) note_choice();
  if (choice_ && choice_->probe) unstarted_probe_ = setup_->terms.targets[*choice_->probe].loss_cost;
}

void race_speed::note_choice() {
  seen_.currency = setup_->costs.is_money ? metrics::currency::usd : metrics::currency::tokens;
  if (places_.front().row == no_row) return;
  const auto first = static_cast<std::uint32_t>(places_.front().row + 1);
  const std::uint32_t before = setup_->terms.route->last_first->exchange(first, std::memory_order_relaxed);
  seen_.is_choice_new = before != 0 && before != first;
}

race_speed::~race_speed() {
  if (unstarted_probe_ > 0) budget().give_back(unstarted_probe_);
}

void race_speed::step(const racing::attempt_report& attempt, attempt_step what, const planned_attempt& planned,
                      racing::instant now) {
  if (what == attempt_step::began) return begin(attempt, planned);
  running& each = attempts_[attempt.target];
  if (what == attempt_step::failed) {
    if (each.taken > 0) budget().give_back(std::exchange(each.taken, 0));  // it costs nothing
    if (!is_the_targets(attempt.why)) what = attempt_step::dropped;
  }
  if (!std::exchange(each.is_silent, false)) return;
  send(each, what, now);
}

void race_speed::begin(const racing::attempt_report& attempt, const planned_attempt& planned) {
  running& made = attempts_.emplace_back();
  const place& at = places_[attempt.target];
  const auto target = board_->targets->find(planned.target.text());
  made.is_learned = target != board_->targets->end();
  made.event.attempt = steps_.number_attempt();
  made.event.route = route_;
  made.event.caller = caller_;
  made.event.key = at.key;
  made.event.started_at = attempt.started_at;
  made.event.input_tokens = static_cast<double>(input_tokens_);
  made.event.in_flight = static_cast<double>(planned.concurrency);
  if (made.is_learned) {
    made.event.target = target->second;
    board_->starts->started(target->second, attempt.started_at);
  }
  if (has_budget() && at.row != no_row) pay(made, at.row, attempt.why_started);
  send(made, attempt_step::began, attempt.started_at);
}

void race_speed::pay(running& made, std::size_t row, start_reason why) {
  const double loss = setup_->terms.targets[row].loss_cost;
  if (why == start_reason::probe) made.taken = std::exchange(unstarted_probe_, 0);
  if (why == start_reason::hedge) made.taken = loss;  // as it was granted
  if (why == start_reason::rescue) budget().take_for_rescue(loss);
}

void race_speed::send(const running& of, attempt_step what, racing::instant now) const {
  if (!of.is_learned) return;
  racing::attempt_event event = of.event;
  event.step = what;
  event.at = now;
  steps_.send(event);
}

bool race_speed::may_start_hedge(std::size_t index) {
  if (!has_budget() || places_[index].row == no_row) return false;
  const double loss = setup_->terms.targets[places_[index].row].loss_cost;
  const racing::hedge_answer answer = budget().take_for_hedge(loss, caller_);
  if (answer == racing::hedge_answer::granted) return true;
  if (std::exchange(last_held_back_, index) != index) {  // asked again it is the same hedge
    const bool is_empty = answer == racing::hedge_answer::empty;
    ++seen_.held_back_hedges[is_empty ? metrics::held_back::empty : metrics::held_back::others_first];
  }
  return false;
}

void race_speed::won(const racing::race_report& race) {
  const std::size_t row = places_[*race.winner].row;
  if (!has_budget() || row == no_row) return;
  const racing::speed_terms& terms = setup_->terms;
  double objective = std::chrono::duration<double>(race.decided_at - race.begun_at).count();
  if (sort_ == racing::target_sort::finish)
    objective += terms.output_tokens * decode_seconds_per_token(terms.table->rows()[row].known,
                                                                attempts_[*race.winner].event.in_flight);
  budget().won(terms.targets[row].win_cost, objective, caller_);
}

void race_speed::ended(race_account& record) {
  if (record.race.winner) tell_of_answer(record);
  if (has_budget()) account_for(record);
  if (!record.race.attempts.empty()) steps_.send(std::make_unique<race_receipt>(make_receipt(record)));
}

void race_speed::account_for(race_account& record) {
  for (const racing::attempt_report& attempt : record.race.attempts) ++seen_.starts[cause_of(attempt.why_started)];
  settle(record);
  if (record.race.winner) compare_with_prediction(record.race);
  record.speculation = seen_;
}

void race_speed::tell_of_answer(const race_account& record) const {
  const running& mine = attempts_[*record.race.winner];
  if (record.broken && is_the_targets(record.broken)) return send(mine, attempt_step::failed, record.ended_at);
  if (!mine.is_learned || record.outcome != metrics::request_outcome::ok) return;
  const proxy::stream_summary& answer = record.race.attempts[*record.race.winner].summary;
  racing::attempt_event event = mine.event;
  event.step = attempt_step::answered;
  event.at = record.ended_at;
  event.output_tokens = static_cast<double>(tokens_of(record, input_tokens_).output);
  event.max_tokens = max_tokens_;
  // Where the client was slow, the time is the client's.
  if (record.client_stalled.count() == 0) event.decode_seconds = seconds_of(answer);
  steps_.send(event);
}

// Each loser is charged to the hedge, probe or rescue that made a further attempt of it.
void race_speed::settle(race_account& record) {
  const proxy::billed_tokens answer = tokens_of(record, input_tokens_);
  auto& cost = seen_.cost;
  const auto& winner = record.race.winner;
  double taken = std::exchange(unstarted_probe_, 0);
  for (const racing::attempt_report& attempt : record.race.attempts) {
    taken += attempts_[attempt.target].taken;
    if (attempt.target == winner) continue;
    start_reason why = attempt.why_started;
    if (!spent_for(why) && winner) why = record.race.attempts[*winner].why_started;
    if (const auto what = spent_for(why)) cost[*what] += cost_of_loser(record, attempt, answer);
  }
  if (winner && places_[*winner].row != no_row) {
    const std::size_t row = places_[*winner].row;
    cost[spent_on::winner] = setup_->costs.of(setup_->prices[row], answer);
    cost[spent_on::hedge] += dearer_by(record, answer);
    budget().correct(cost[spent_on::winner] - setup_->terms.targets[row].win_cost);
  }
  budget().give_back(taken - cost[spent_on::hedge] - cost[spent_on::trial]);
}

void race_speed::compare_with_prediction(const racing::race_report& race) {
  const racing::speed_terms& terms = setup_->terms;
  const double seconds = std::chrono::duration<double>(race.decided_at - race.begun_at).count();
  const auto at = [&terms, this](double silent) {
    return predicted_first_token(*terms.table, terms.targets, *choice_, silent);
  };
  if (choice_->count == 0) return;
  predicted_p50_ = at(0.5), predicted_p90_ = at(0.1), predicted_p99_ = at(0.01);
  if (!(*predicted_p50_ > 0)) return;
  seen_.prediction_ratio = seconds / *predicted_p50_;
  seen_.within[metrics::predicted::p50] = seconds <= *predicted_p50_;
  seen_.within[metrics::predicted::p90] = seconds <= *predicted_p90_;
  seen_.within[metrics::predicted::p99] = seconds <= *predicted_p99_;
}

double race_speed::cost_of_loser(const race_account& record, const racing::attempt_report& attempt,
                                 const proxy::billed_tokens& answer) const {
  const std::size_t row = places_[attempt.target].row;
  if (row == no_row || !was_paid_for(attempt)) return 0;
  const metrics::lost_token_count lost = lost_tokens(record, attempt);
  return setup_->costs.of(setup_->prices[row], {.input = record.race.winner ? answer.input : lost.input_tokens,
                                                .output = lost.output_tokens});
}

// With `sort: cost` a winner that is more expensive than the first choice is extra cost, too.
double race_speed::dearer_by(const race_account& record, const proxy::billed_tokens& answer) const {
  const std::size_t winner = *record.race.winner;
  if (sort_ != racing::target_sort::cost || attempts_[winner].taken == 0 || places_[0].row == no_row) return 0;
  const double first = setup_->costs.of(setup_->prices[places_[0].row], answer);
  return std::max(0.0, setup_->costs.of(setup_->prices[places_[winner].row], answer) - first);
}

}  // namespace photofinish::gateway
