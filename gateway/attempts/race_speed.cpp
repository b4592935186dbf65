#include "gateway/attempts/race_speed.hpp"

#include "gateway/records/account_rules.hpp"
#include "racing/adaptive/choice_terms.hpp"
#include "racing/adaptive/deadline_rule.hpp"
#include "racing/cooldowns.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

namespace photofinish::gateway {
namespace {

using metrics::spent_on;
using racing::attempt_step;
using racing::start_reason;

// Returns true if the target caused the failure. Returns false if the request or this gateway caused it.
bool is_the_targets(const proxy::maybe_failure& why) {
  return why && why->origin != proxy::failure_origin::gateway &&
         racing::counts_against_target(racing::blame_for(why->kind, why->status, why->scope));
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
    case start_reason::twin: return metrics::start_cause::twin;
    case start_reason::failure: return metrics::start_cause::failure;
    case start_reason::rescue: return metrics::start_cause::rescue;
  }
  return metrics::start_cause::first;
}

// Returns the kind of spending that the route's budget records for this attempt. Returns nothing for a first attempt,
// and for an attempt that replaces a failed attempt, because the budget does not pay for these attempts.
std::optional<spent_on> spent_for(start_reason why) {
  switch (why) {
    case start_reason::probe: return spent_on::trial;
    case start_reason::hedge:
    case start_reason::twin: return spent_on::hedge;
    case start_reason::rescue: return spent_on::rescue;
    case start_reason::first:
    case start_reason::failure: return std::nullopt;
  }
  return std::nullopt;
}

// Returns the number of tokens for which the provider bills the winner.
proxy::billed_tokens tokens_of(const race_account& record, std::uint64_t input_tokens) {
  constexpr std::uint64_t bytes_per_token = 4;
  if (!record.race.winner) return {.input = input_tokens};
  const proxy::stream_summary& answer = record.race.attempts[*record.race.winner].summary;
  if (!answer.usage) return {.input = input_tokens, .output = answer.text_bytes / bytes_per_token};
  return billed(*answer.usage);
}

// Returns the predicted time from an attempt's start to the end of its answer.
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

receipt_prefix prefix_of(const racing::target_now& now, bool is_money) {
  receipt_prefix made{now.match.tokens, now.match.age_seconds, now.match.hit_chance, now.match.expected(), {}};
  if (is_money) made.saved = now.saved_per_token * made.expected_tokens;
  return made;
}

// Returns the longest prefix of the prompt that any target had in its prompt cache before the race.
known_prompt prompt_before(std::span<const racing::target_now> targets) {
  known_prompt known;
  for (const racing::target_now& each : targets) {
    const double share = each.match.tokens / std::max(1.0, each.input_tokens);
    if (share <= known.held_share) continue;
    known.held_share = share;
    known.is_expired = each.match.prior <= racing::hit_after_ttl;
  }
  return known;
}

}  // namespace

double tokens_to_read(std::uint64_t estimated, const std::optional<proxy::token_usage>& said) {
  const auto all = static_cast<double>(estimated);
  if (!said || said->input_tokens == 0) return all;
  const auto cached = static_cast<double>(std::min(said->cached_input_tokens, said->input_tokens));
  return all * (1 - cached / static_cast<double>(said->input_tokens));
}

race_speed::race_speed(const racing::forecast_board& board, step_sender& steps, receipt_head head,
                       const parsed_request& asked, race_setup& setup)
    : board_{board.number, board.at},
      head_(std::move(head)),
      input_tokens_(input_tokens_of(asked)),
      max_tokens_(max_tokens_of(asked)),
      setup_(std::move(setup.speed)),
      choice_(setup.planned.choice),
      sort_(racing::sort_of(setup.settings)),
      prefixes_(std::move(setup.prefixes)),
      reporter_(board, setup.compared, steps) {
  places_.reserve(setup.planned.chosen.size());
  for (const std::size_t candidate : setup.planned.chosen) {
    place& each = places_.emplace_back();
    each.key = key_print(setup.candidates[candidate]);
    if (!setup_) continue;
    const auto& rows = setup_->terms.candidates;
    const auto row = std::find(rows.begin(), rows.end(), candidate);
    if (row != rows.end()) each.row = static_cast<std::size_t>(row - rows.begin());
  }
  if (!setup_) return;
  if (choice_) note_choice();
  keep_what_the_end_needs();
}

void race_speed::keep_what_the_end_needs() {
  racing::forecast_terms& terms = setup_->terms;
  rows_ = terms.table->kept_rows();
  compared_ = terms.route->is;
  reading_ = terms.route->reading;
  if (choice_) {
    const double probe = choice_->probe ? terms.targets[*choice_->probe].loss_cost : 0;
    const racing::purse from = choice_->is_probe_from_bucket ? racing::purse::bucket : racing::purse::stock;
    spending_.emplace(terms.route->budget, head_.caller, probe, from);
  }
  terms.table = nullptr;
  terms.route.reset();
}

void race_speed::note_choice() {
  seen_.currency = setup_->costs.is_money ? metrics::currency::usd : metrics::currency::tokens;
  if (places_.front().row == no_row) return;
  const auto first = static_cast<std::uint32_t>(places_.front().row + 1);
  const std::uint32_t before = setup_->terms.route->last_first->exchange(first, std::memory_order_relaxed);
  seen_.is_choice_new = before != 0 && before != first;
}

void race_speed::set_rules(racing::race_run& run) {
  run.ask_before_hedges([this](std::size_t index) { return may_start_hedge(index); });
  run.ask_whom_to_hold(
      [this](const racing::ask_to_hold& asked, racing::instant now) { return whom_to_hold(asked, now); });
}

void race_speed::step(const race_progress& race, std::size_t index, attempt_step what) {
  const racing::attempt_report& attempt = race.report.attempts[index];
  const racing::instant now = race.now;
  if (what == attempt_step::began) return begin(attempt, race.planned[index]);
  const bool was_silent = reporter_.is_silent(index);
  if (what == attempt_step::failed) {
    // Releases the reserved budget only if the attempt has sent no text, because the provider bills an attempt that has
    // sent text.
    if (has_budget() && was_silent) spending_->failed(index);
    if (!is_the_targets(attempt.why)) what = attempt_step::dropped;
  }
  reporter_.end_silence(index);
  // After an attempt's first token, a failure is the only event that the attempt can still report.
  if (!was_silent && what != attempt_step::failed) return;
  if (was_silent && !prefixes_)
    reporter_.event(index).input_tokens = tokens_to_read(input_tokens_, attempt.summary.usage);
  if (what == attempt_step::cut && is_too_early_a_cut(attempt, now)) what = attempt_step::dropped;
  if (what == attempt_step::spoke || what == attempt_step::cut) teach(index, attempt, what);
  reporter_.send(index, what, now);
}

// Completes and sends the event for an attempt's first token, or for its end without any token. Adds the number of
// cached tokens only if the race considers prompt caches.
void race_speed::teach(std::size_t index, const racing::attempt_report& attempt, attempt_step what) {
  racing::attempt_event& event = reporter_.event(index);
  const auto is_twin = [&](const begun_attempt& each) {
    return each.plan_target == attempt.plan_target && each.has_taught;
  };
  event.is_twin = std::any_of(begun_.begin(), begun_.end(), is_twin);
  begun_[index].has_taught = true;
  const std::size_t row = place_of(index).row;
  if (!prefixes_ || row == no_row || what != attempt_step::spoke) return;
  event.cached_tokens = cached_tokens(attempt.summary.usage);
  const bool is_late = prefixes_->targets[row].reported == proxy::cached_report::late;
  event.is_usage_expected = !event.cached_tokens && is_late && !attempt.was_observed;
  const auto wall_time = std::chrono::system_clock::now().time_since_epoch();
  prefixes_->note(row, static_cast<racing::prefix_seconds>(
                           std::chrono::floor<std::chrono::seconds>(wall_time).count()));
}

// Converts the reported number of cached tokens to the gateway's own estimate of prompt tokens, because providers count
// tokens differently.
std::optional<double> race_speed::cached_tokens(const std::optional<proxy::token_usage>& said) const {
  if (!said || said->input_tokens == 0) return std::nullopt;
  return static_cast<double>(input_tokens_) - tokens_to_read(input_tokens_, said);
}

bool race_speed::has_twin_running(std::size_t plan_target) const {
  for (std::size_t index = 0; index < begun_.size(); ++index)
    if (begun_[index].plan_target == plan_target && reporter_.is_silent(index)) return true;
  return false;
}

// Returns true if the race cancelled the attempt so early that the attempt's time says nothing about its target. This
// can happen in races with `win_on: finish`. It does not matter for the policy `adaptive`, which measures targets with
// probes.
bool race_speed::is_too_early_a_cut(const racing::attempt_report& attempt, racing::instant now) const {
  const std::size_t row = places_[attempt.plan_target].row;
  const bool is_planned = head_.policy == racing::race_policy::adaptive;
  if (head_.wins != racing::win_on::finish || is_planned || row == no_row) return false;
  const racing::table_row& known = (*rows_)[row];
  return racing::says_nothing(known, racing::stretch_of(known, setup_->terms.targets[row]),
                              racing::seconds_between(attempt.started_at, now));
}

void race_speed::begin(const racing::attempt_report& attempt, const planned_attempt& planned) {
  const place& planned_place = places_[attempt.plan_target];
  racing::attempt_event traits;
  traits.caller = head_.caller;
  traits.key = planned_place.key;
  traits.started_at = attempt.started_at;
  traits.input_tokens = static_cast<double>(input_tokens_);
  traits.in_flight = static_cast<double>(planned.concurrency);
  traits.is_twin = has_twin_running(attempt.plan_target);
  if (prefixes_ && planned_place.row != no_row) traits.match = setup_->terms.targets[planned_place.row].match;
  begun_.push_back({attempt.plan_target});
  const bool has_loss = setup_ && planned_place.row != no_row;
  const double loss = has_loss ? setup_->terms.targets[planned_place.row].loss_cost : 0;
  if (has_budget()) spending_->started(attempt.why_started, loss);
  reporter_.begin(planned.target.text(), traits);
}

bool race_speed::may_start_hedge(std::size_t target) {
  if (!has_budget() || places_[target].row == no_row) return false;
  const double loss = setup_->terms.targets[places_[target].row].loss_cost;
  const racing::hedge_answer answer = spending_->ask_for_hedge(loss);
  if (answer == racing::hedge_answer::granted) return true;
  // The race may ask about the same hedge repeatedly, but each refused hedge is counted only once.
  if (std::exchange(last_held_back_, target) != target) {
    const bool is_empty = answer == racing::hedge_answer::empty;
    ++seen_.held_back_hedges[is_empty ? metrics::held_back::empty : metrics::held_back::others_first];
  }
  return false;
}

bool race_speed::may_keep(std::size_t attempt, std::chrono::milliseconds time) {
  if (!has_budget()) return true;
  const std::size_t row = place_of(attempt).row;
  if (row == no_row) return false;
  const double pace = decode_seconds_per_token((*rows_)[row].known, reporter_.event(attempt).in_flight);
  const double tokens = std::chrono::duration<double>(time).count() / std::max(pace, 1e-6);
  return spending_->take_for_keep(
      setup_->costs.of(setup_->prices[row], {.output = static_cast<std::uint64_t>(tokens)}));
}

std::optional<double> race_speed::unlikely_deadline() const {
  if (!choice_ || !choice_->deadline || choice_->deadline_chance >= racing::unlikely) return std::nullopt;
  return choice_->deadline_chance;
}

double race_speed::decode_seconds(std::size_t attempt, std::size_t row) const {
  return setup_->terms.output_tokens *
         decode_seconds_per_token((*rows_)[row].known, reporter_.event(attempt).in_flight);
}

// Chooses the attempt whose answer the race waits for. Never chooses an attempt at a target whose speed is not
// measured.
racing::hold_choice race_speed::whom_to_hold(const racing::ask_to_hold& asked, racing::instant now) const {
  std::vector<racing::finisher> known;
  known.reserve(asked.attempts.size());
  for (const auto& [attempt, started, spoke] : asked.attempts) {
    const std::size_t row = place_of(attempt).row;
    if (row == no_row && !spoke) continue;
    racing::finisher& each = known.emplace_back();
    each.attempt = attempt;
    each.running = racing::seconds_between(started, now);
    if (spoke) each.spoken = racing::seconds_between(*spoke, now);
    if (row == no_row) continue;
    each.row = &(*rows_)[row];
    each.stretch = racing::stretch_of(*each.row, setup_->terms.targets[row]);
    each.decode = decode_seconds(attempt, row);
  }
  return racing::choose_hold(known);
}

void race_speed::won(const race_progress& observed) {
  const racing::race_report& race = observed.report;
  const std::size_t row = place_of(*race.winner).row;
  if (row != no_row) winner_row_ = row;
  if (!has_budget() || row == no_row) return;
  const racing::forecast_terms& terms = setup_->terms;
  double objective = std::chrono::duration<double>(race.decided_at - race.begun_at).count();
  if (sort_ == racing::target_sort::finish)
    objective += decode_seconds(*race.winner, row);
  const double cost = terms.targets[row].win_cost;
  if (!credited_) spending_->budget().won(cost, objective, head_.caller);
  else spending_->budget().correct(cost - *credited_);
  credited_ = cost;
}

void race_speed::ended(request_record& record, const std::string&) {
  note_expected(record);
  if (record.race.winner) {
    tell_of_usage(record);
    tell_of_answer(record);
  }
  if (has_budget()) account_for(record);
  if (!record.race.attempts.empty()) record.notes.receipt = std::make_shared<race_receipt>(receipt_of(record));
}

// Records the expected cache hit of each attempt. Also records whether the race began at a target that had not cached
// the prompt, although another target had.
void race_speed::note_expected(race_account& record) {
  if (!prefixes_) return;
  for (std::size_t index = 0; index < begun_.size(); ++index) {
    const std::size_t row = place_of(index).row;
    if (row == no_row) continue;
    record.planned[index].expected_share = expected_share(row);
    record.planned[index].reports_cached = prefixes_->targets[row].reported != proxy::cached_report::never;
  }
  record.prompt.known = prompt_before(setup_->terms.targets);
  record.prompt.known->is_continued = prefixes_->chain.answers > 0;
  record.prompt.known->has_moved = choice_ && choice_->moved != racing::move_cause::none;
  if (!choice_ || choice_->moved == racing::move_cause::none) return;
  seen_.moved = static_cast<metrics::move_reason>(static_cast<int>(choice_->moved) - 1);
  static_assert(static_cast<int>(metrics::move_reason::trial) + 1 == static_cast<int>(racing::move_cause::trial));
  if (setup_->costs.is_money) seen_.move_cost_usd = std::max(0.0, choice_->move_cost);
}

double race_speed::expected_share(std::size_t row) const {
  const racing::target_now& target = setup_->terms.targets[row];
  return std::min(1.0, target.match.expected() / std::max(1.0, target.input_tokens));
}

void race_speed::add_facts(race_facts& facts) const {
  facts.unlikely_deadline = unlikely_deadline();
  if (!prefixes_ || !winner_row_) return;
  const racing::prefix_match& match = setup_->terms.targets[*winner_row_].match;
  facts.warm_tokens = match.hit_chance >= 0.5 ? std::llround(match.tokens) : 0;
}

void race_speed::account_for(race_account& record) {
  for (const racing::attempt_report& attempt : record.race.attempts) ++seen_.starts[cause_of(attempt.why_started)];
  settle(record);
  if (record.race.winner) compare_with_prediction(record.race);
  seen_.deadline = deadline_of(record);
  record.speculation = seen_;
}

// Reports the winner's cached tokens only after the answer, because most providers report them at its end.
void race_speed::tell_of_usage(const race_account& record) const {
  const std::size_t winner = *record.race.winner;
  racing::attempt_event event = reporter_.event(winner);
  if (!event.is_usage_expected || !reporter_.is_learned(winner)) return;
  event.cached_tokens = cached_tokens(record.race.attempts[winner].summary.usage);
  if (!event.cached_tokens) return;
  event.step = attempt_step::usage;
  event.at = record.times.ended_at;
  reporter_.send(event);
}

void race_speed::tell_of_answer(const race_account& record) const {
  const std::size_t winner = *record.race.winner;
  if (record.winner.broken && is_the_targets(record.winner.broken))
    return reporter_.send(winner, attempt_step::failed, record.times.ended_at);
  if (!reporter_.is_learned(winner) || record.outcome != metrics::request_outcome::ok) return;
  const proxy::stream_summary& answer = record.race.attempts[winner].summary;
  racing::attempt_event event = reporter_.event(winner);
  event.step = attempt_step::answered;
  event.at = record.times.ended_at;
  event.output_tokens = static_cast<double>(tokens_of(record, input_tokens_).output);
  event.max_tokens = max_tokens_;
  // A client that reads slowly delays the answer. In that case, the answer's duration does not show how fast the target
  // is.
  if (record.times.client_stalled.count() == 0) event.decode_seconds = seconds_of(answer);
  reporter_.send(event);
}

// Returns whether the answer met its deadline. Returns nothing if the client disconnected before the deadline.
std::optional<metrics::deadline_end> race_speed::deadline_of(const race_account& record) const {
  using metrics::deadline_end;
  if (!choice_ || !choice_->deadline) return std::nullopt;
  if (unlikely_deadline()) return deadline_end::unlikely;
  const bool is_for_all = sort_ == racing::target_sort::finish;
  const bool is_answered = is_for_all ? record.outcome == metrics::request_outcome::ok : record.race.winner.has_value();
  const racing::instant at = is_for_all ? record.times.ended_at : record.race.decided_at;
  if (racing::seconds_between(record.race.begun_at, at) > *choice_->deadline) return deadline_end::missed;
  if (is_answered) return deadline_end::met;
  if (was_abandoned(record)) return std::nullopt;
  return deadline_end::missed;
}

// Charges the costs of the race to the route's budget. The cost of a losing attempt is charged as the cost of a hedge,
// a probe or a rescue, depending on why the attempt started.
void race_speed::settle(race_account& record) {
  const proxy::billed_tokens answer = tokens_of(record, input_tokens_);
  auto& cost = seen_.cost;
  const auto& winner = record.race.winner;
  for (const racing::attempt_report& attempt : record.race.attempts) {
    if (attempt.target == winner) continue;
    start_reason why = attempt.why_started;
    if (!spent_for(why) && winner) why = record.race.attempts[*winner].why_started;
    auto what = spent_for(why);
    if (!what && (attempt.was_kept || attempt.target == record.race.replaced)) what = spent_on::hedge;
    if (what) cost[*what] += cost_of_loser(record, attempt, answer);
  }
  if (winner && place_of(*winner).row != no_row) {
    const std::size_t row = place_of(*winner).row;
    cost[spent_on::winner] = setup_->costs.of(setup_->prices[row], answer);
    cost[spent_on::hedge] += dearer_by(record, answer);
    if (credited_) spending_->budget().correct(cost[spent_on::winner] - *credited_);
  }
  spending_->settle(cost[spent_on::hedge], cost[spent_on::trial]);
}

void race_speed::compare_with_prediction(const racing::race_report& race) {
  const racing::forecast_terms& terms = setup_->terms;
  const double seconds = std::chrono::duration<double>(race.decided_at - race.begun_at).count();
  const auto at = [&terms, this](double silent) {
    return predicted_first_token(*rows_, terms.targets, *choice_, silent);
  };
  // If the race held back an attempt's tokens, the race was not decided by the first token. Therefore the first token's
  // time is not compared with the prediction.
  if (choice_->count == 0 || race.hold || race.replaced) return;
  predicted_ = quantiles{at(0.5), at(0.1), at(0.01)};
  if (!(predicted_->p50 > 0)) return;
  seen_.prediction_ratio = seconds / predicted_->p50;
  seen_.within[metrics::predicted::p50] = seconds <= predicted_->p50;
  seen_.within[metrics::predicted::p90] = seconds <= predicted_->p90;
  seen_.within[metrics::predicted::p99] = seconds <= predicted_->p99;
}

double race_speed::cost_of_loser(const race_account& record, const racing::attempt_report& attempt,
                                 const proxy::billed_tokens& answer) const {
  const std::size_t row = places_[attempt.plan_target].row;
  if (row == no_row || !was_paid_for(attempt)) return 0;
  const metrics::lost_token_count lost = lost_tokens(record, attempt);
  proxy::billed_tokens tokens{.input = record.race.winner ? answer.input : lost.input_tokens,
                              .output = lost.output_tokens};
  if (prefixes_) prefixes_->split(row, expected_share(row), tokens);
  return setup_->costs.of(setup_->prices[row], tokens);
}

// Returns the difference between the cost of the winner's answer and the cost that the same answer would have had at
// the first choice. Returns 0 unless the route uses `sort: cost`.
double race_speed::dearer_by(const race_account& record, const proxy::billed_tokens& answer) const {
  const std::size_t winner = *record.race.winner;
  if (sort_ != racing::target_sort::cost || !spending_->has_taken(winner) || places_[0].row == no_row) return 0;
  const double first = setup_->costs.of(setup_->prices[places_[0].row], answer);
  return std::max(0.0, setup_->costs.of(setup_->prices[place_of(winner).row], answer) - first);
}


race_receipt race_speed::receipt_of(const race_account& record) const {
  race_receipt made = make_receipt(head_, record, record.times.ended_at);
  made.plan.sort = sort_;
  made.plan.board = board_.number;
  made.plan.board_age = racing::seconds_between(board_.at, record.race.begun_at);
  made.plan.input_tokens = static_cast<double>(input_tokens_);
  if (setup_) {
    const racing::forecast_terms& terms = setup_->terms;
    made.plan.output_tokens = terms.output_tokens;
    for (std::size_t row = 0; row < terms.targets.size(); ++row) {
      made.plan.candidates.push_back(
          candidate_of(compared_->targets[row], (*rows_)[row], terms.targets[row], terms.output_tokens));
      if (prefixes_ && prefixes_->targets[row].holder != 0)
        made.plan.candidates.back().prefix = prefix_of(terms.targets[row], setup_->costs.is_money);
    }
    made.predicted_end = predicted_end(record.race);
  }
  if (choice_) made.choice = choice_of_receipt();
  return made;
}

std::optional<double> race_speed::predicted_end(const racing::race_report& race) const {
  if (!race.winner || place_of(*race.winner).row == no_row) return std::nullopt;
  const std::size_t row = place_of(*race.winner).row;
  return racing::seconds_between(race.begun_at, race.attempts[*race.winner].started_at) +
         finish_of((*rows_)[row], setup_->terms.targets[row], setup_->terms.output_tokens);
}

receipt_choice race_speed::choice_of_receipt() const {
  receipt_choice made{.made = *choice_, .price = reading_.price, .fill = reading_.fill,
                      .usual_cost = reading_.usual_cost};
  made.is_money = setup_->costs.is_money;
  made.turns = setup_->terms.turns;
  made.won_cost = seen_.cost[spent_on::winner];
  made.hedge_cost = seen_.cost[spent_on::hedge];
  made.trial_cost = seen_.cost[spent_on::trial];
  made.rescue_cost = seen_.cost[spent_on::rescue];
  seen_.held_back_hedges.for_each([&](metrics::held_back, std::uint64_t count) { made.held_back += count; });
  if (seen_.deadline) made.deadline = to_string(*seen_.deadline);
  if (!predicted_) return made;
  made.predicted_p50 = predicted_->p50;
  made.predicted_p90 = predicted_->p90;
  made.predicted_p99 = predicted_->p99;
  return made;
}

}  // namespace photofinish::gateway
