#include "racing/race.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace photofinish::racing {
namespace {

template <class... Ts>
struct overloaded : Ts... { using Ts::operator()...; };
template <class... Ts>
overloaded(Ts...) -> overloaded<Ts...>;

}  // namespace

std::string_view to_string(start_reason why) {
  switch (why) {
    case start_reason::first: return "first";
    case start_reason::probe: return "probe";
    case start_reason::hedge: return "hedge";
    case start_reason::failure: return "failure";
    case start_reason::rescue: return "rescue";
  }
  return "first";
}

race::race(race_plan plan) : plan_(plan) {
  assert(plan_.target_count > 0 && plan_.max_parallel > 0 && plan_.max_attempts > 0);
  attempts_.resize(std::min(plan_.target_count, plan_.max_attempts));
}

std::vector<race_command> race::on(const race_event& event, instant now) {
  if (is_over_ && !std::holds_alternative<winner_failed>(event)) return {};
  commands_.clear();
  std::visit(overloaded{[&](race_begun) { begin(now); },
                        [&](const token_came& came) { token(came, now); },
                        [&](answer_ended end) { ended(end.attempt, now); },
                        [&](attempt_failed failure) { failed(failure.attempt, now); },
                        [&](attempt_turned_away refused) { turned_away(refused.attempt, now); },
                        [&](whole_awaited seen) { attempts_[seen.attempt].is_whole = seen.is_whole; },
                        [&](spending_answered answer) { spending(answer, now); },
                        [&](const hold_answered& answer) { choose_held(answer, now); },
                        [&](keep_answered answer) { keep(answer, now); },
                        [&](answer_begun) { end_keep(); },
                        [&](winner_failed) { go_on_without_winner(); },
                        [&](attempt_full full) { filled(full.attempt); },
                        [&](alarm_struck) { struck(now); },
                        [&](client_left) { client_gone(); },
                        [&](request_ended end) { request_over(now + end.grace); }},
             event);
  // A failure, too, may have made place for what is due already.
  if (!is_decided_ && plan_.policy == race_policy::adaptive) start_due(now);
  if (!is_over_) arrange_wake_up();
  return std::exchange(commands_, {});
}

void race::begin(instant now) {
  assert(started_ == 0);
  race_deadline_ = now + std::min(plan_.race_timeout, plan_.answer_timeout);
  answer_deadline_ = now + plan_.answer_timeout;
  begun_ = ask_again_ = now;
  start_next(now, start_reason::first);
  if (plan_.policy == race_policy::all)
    while (may_start()) start_next(now, start_reason::first);
  if (plan_.policy != race_policy::adaptive) return;
  while (started_ < plan_.at_once && may_start())
    start_next(now, plan_.probe == started_ ? start_reason::probe : start_reason::first);
}

void race::token(const token_came& came, instant now) {
  const std::size_t index = came.attempt;
  if (attempts_[index].is == state::running)
    return plan_.wins == win_on::finish ? spoke(index, came.is_complete, now) : win(index);
  if (attempts_[index].is == state::kept) attempts_[index].is = state::ready;
  if (attempts_[index].is != state::observed) return;
  commands_.push_back(cancel_attempt{index, cancel_cause::lost});
  observed_enough(index);
}

void race::ended(std::size_t index, instant now) {
  if (attempts_[index].is == state::kept) return kept_is_gone();
  if (attempts_[index].is == state::observed) return observed_enough(index);
  if (attempts_[index].is == state::spoken) return release(index, hold_end::complete);
  if (attempts_[index].is != state::running) return;
  attempts_[index].is = state::empty;
  if (!holds_empty_answer()) empty_answer_ = index;
  start_when_failed(now);
}

void race::failed(std::size_t index, instant now) {
  if (is_kept(index)) return kept_is_gone();
  if (attempts_[index].is == state::observed) return observed_enough(index);
  if (attempts_[index].is == state::spoken) end_hold(hold_end::failed);
  else if (attempts_[index].is != state::running) return;
  attempts_[index].is = state::failed;
  start_when_failed(now);
}

// It has cost nothing: another target may run in its place.
void race::turned_away(std::size_t index, instant now) {
  if (attempts_[index].is == state::running && attempts_.size() < plan_.target_count) attempts_.emplace_back();
  failed(index, now);
}

void race::struck(instant now) {
  woken_at_.reset();
  if (is_decided_) {
    if (now >= keep_until_) end_keep();
    if (now >= observe_until_) stop_observing();
    return;
  }
  if (held_ && now >= hold_until_) return release(*held_, hold_end::turned);
  if (now >= race_deadline_ && !is_late_) out_of_time();
  if (!is_decided_) cut_late(now);
  if (is_decided_) return;
  start_due(now);
}

void race::start_due(instant now) {
  if (const auto rescue = next_rescue(); rescue && now >= *rescue) start_next(now, start_reason::rescue);
  const auto hedge = next_hedge();
  if (!hedge || now < *hedge) return;
  if (plan_.policy == race_policy::hedge) return start_next(now, start_reason::hedge);
  is_asking_ = true;
  commands_.push_back(ask_to_spend{started_});
}

// What has started meanwhile needs no leave any more.
void race::spending(const spending_answered& answer, instant now) {
  if (!is_asking_) return;
  is_asking_ = false;
  if (is_decided_ || answer.attempt != started_) return;
  if (answer.is_granted) start_next(now, start_reason::hedge);
  else ask_again_ = now + asking_pause;
}

// An answer in hand is better than one that may come.
void race::out_of_time() {
  is_late_ = true;
  if (has_spoken()) return release(spoken_one(), hold_end::race_over);
  const bool has_answer = holds_empty_answer();
  cancel_running(cancel_cause::timed_out, [](const attempt& each) { return !each.is_whole; });
  if (has_answer) cancel_running(cancel_cause::timed_out);
  if (running() > 0) return;
  if (has_answer) win(*empty_answer_);
  else lose(defeat::timed_out);
}

void race::cut_late(instant now) {
  for (std::size_t index = 0; index < started_ && !is_decided_; ++index) {
    attempt& each = attempts_[index];
    if (each.is != state::running || now < deadline_of(each)) continue;
    each.is = state::failed;
    commands_.push_back(cancel_attempt{index, cancel_cause::timed_out});
    start_when_failed(now);
  }
}

void race::client_gone() {
  if (is_decided_) {
    end_keep();
    return stop_observing();
  }
  end_hold(hold_end::race_over);
  cancel_running(cancel_cause::client_left);
  lose(defeat::client_left);
}

void race::request_over(instant until) {
  if (!is_decided_) return;
  end_keep();
  observe_until_ = std::min(observe_until_, until);
}

void race::start_next(instant now, start_reason why) {
  if (!may_start()) return;
  attempts_[started_] = {state::running, now};
  last_start_ = now;
  commands_.push_back(start_attempt{started_++, why});
}

void race::start_when_failed(instant now) {
  if (has_spoken()) return running() > 0 ? ask_whom_to_hold() : release(spoken_one(), hold_end::alone);
  if (started_ < plan_.rescue_only_from) start_next(now, start_reason::failure);
  if (running() > 0) return;
  if (holds_empty_answer()) return win(*empty_answer_);
  lose(defeat::all_failed);
}

void race::win(std::size_t index) {
  attempts_[index].is = state::done;
  is_decided_ = true;
  choose_runner_up(index);  // asks before the winner is named, which may fail at once
  commands_.push_back(name_winner{index});
  observe_until_ = race_deadline_;
  observe_running();
  cancel_running(cancel_cause::lost);
  note_end();
}

void race::lose(defeat cause) {
  is_decided_ = is_over_ = true;
  commands_.push_back(give_up{cause});
}

void race::cancel_running(cancel_cause cause) {
  cancel_running(cause, [](const attempt&) { return true; });
}

void race::cancel_running(cancel_cause cause, bool (*which)(const attempt&)) {
  for (std::size_t index = 0; index < started_; ++index) {
    const bool is_live = attempts_[index].is == state::running || attempts_[index].is == state::spoken;
    if (!is_live || !which(attempts_[index])) continue;
    attempts_[index].is = state::done;
    commands_.push_back(cancel_attempt{index, cause});
  }
}

void race::observe_running() {
  for (std::size_t index = 0; index < started_; ++index)
    if (attempts_[index].is == state::running && is_to_be_observed(index)) observe(index);
}

bool race::is_to_be_observed(std::size_t index) const {
  return plan_.disposition == losers::observed || plan_.probe == index;
}

void race::note_end() { is_over_ = !kept_ && how_many(state::observed) == 0; }

void race::observe(std::size_t index) {
  woken_at_.reset();  // the decision ends every wake-up before it
  attempts_[index].is = state::observed;
  commands_.push_back(observe_attempt{index});
}

void race::observed_enough(std::size_t index) {
  attempts_[index].is = state::done;
  note_end();
}

void race::stop_observing() {
  for (std::size_t index = 0; index < started_; ++index) {
    if (attempts_[index].is != state::observed) continue;
    commands_.push_back(cancel_attempt{index, cancel_cause::lost});
    observed_enough(index);
  }
}

void race::arrange_wake_up() {
  instant when = is_decided_ ? observe_until_ : is_late_ ? answer_deadline_ : race_deadline_;
  if (const auto deadline = next_deadline()) when = std::min(when, *deadline);
  if (const auto hedge = next_hedge()) when = std::min(when, *hedge);
  if (const auto rescue = next_rescue()) when = std::min(when, *rescue);
  if (held_) when = std::min(when, hold_until_);
  if (kept_) when = std::min(when, keep_until_);
  if (woken_at_ == when) return;
  woken_at_ = when;
  commands_.push_back(wake_at{when});
}

bool race::may_start() const {
  return started_ < attempts_.size() && running() < plan_.max_parallel && !holds_empty_answer() && !is_late_ &&
         !is_reopened_ && !has_spoken();
}

std::size_t race::how_many(state wanted) const {
  const auto is_it = [wanted](const attempt& each) { return each.is == wanted; };
  return static_cast<std::size_t>(std::count_if(attempts_.begin(), attempts_.end(), is_it));
}

instant race::deadline_of(const attempt& running) const {
  return running.is_whole ? answer_deadline_ : running.started + plan_.first_token_timeout;
}

std::optional<instant> race::next_hedge() const {
  if (is_decided_ || !may_start()) return std::nullopt;
  if (plan_.policy == race_policy::hedge) return last_start_ + plan_.hedge_delay;
  if (plan_.policy != race_policy::adaptive || is_asking_ || started_ < plan_.at_once) return std::nullopt;
  const std::size_t hedge = started_ - plan_.at_once;
  if (hedge >= std::min(plan_.hedge_count, race_plan::max_hedges)) return std::nullopt;
  return std::max(begun_ + plan_.hedge_after[hedge], ask_again_);
}

// Silent since the last start: the next one starts, whatever the budget says.
std::optional<instant> race::next_rescue() const {
  if (is_decided_ || plan_.policy != race_policy::adaptive || plan_.rescue_after.count() <= 0 || !may_start())
    return std::nullopt;
  return last_start_ + plan_.rescue_after;
}

std::optional<instant> race::next_deadline() const {
  std::optional<instant> earliest;
  for (const attempt& each : attempts_)
    if (each.is == state::running) {
      const instant deadline = deadline_of(each);
      if (!earliest || deadline < *earliest) earliest = deadline;
    }
  return earliest;
}

// The rules of `win_on: finish`: an attempt that has spoken may be held while a silent one would still finish sooner.

std::string_view to_string(hold_end why) {
  switch (why) {
    case hold_end::overtaken: return "overtaken";
    case hold_end::stayed_ahead: return "stayed_ahead";
    case hold_end::turned: return "turned";
    case hold_end::complete: return "complete";
    case hold_end::full: return "full";
    case hold_end::alone: return "alone";
    case hold_end::failed: return "failed";
    case hold_end::race_over: return "race_over";
  }
  return "race_over";
}

void race::spoke(std::size_t index, bool is_complete, instant now) {
  attempts_[index].is = state::spoken;
  attempts_[index].spoke = now;
  if (is_complete) return release(index, held_ == index ? hold_end::complete : hold_end::overtaken);
  ask_whom_to_hold();
}

// An answer in one piece is its own first token: when it comes cannot be said from what is known of first tokens.
void race::ask_whom_to_hold() {
  ask_to_hold question;
  for (std::size_t index = 0; index < started_; ++index) {
    const attempt& each = attempts_[index];
    if (each.is == state::spoken) question.attempts.push_back({index, each.started, each.spoke});
    if (each.is == state::running && !each.is_whole) question.attempts.push_back({index, each.started, std::nullopt});
  }
  commands_.push_back(std::move(question));
}

void race::choose_held(const hold_answered& answer, instant now) {
  if (is_decided_ || answer.best >= started_ || attempts_[answer.best].is != state::spoken) return;
  const bool was_overtaken = held_ && held_ != answer.best;
  if (was_overtaken) end_hold(hold_end::overtaken);
  if (now >= answer.until || running() == 0)
    return release(answer.best, how_many(state::spoken) > 1 ? hold_end::stayed_ahead : hold_end::turned);
  for (std::size_t index = 0; index < started_; ++index) {
    if (index == answer.best || attempts_[index].is != state::spoken) continue;
    attempts_[index].is = state::done;
    commands_.push_back(cancel_attempt{index, cancel_cause::lost});
  }
  if (held_ != answer.best) commands_.push_back(hold_attempt{answer.best});
  held_ = answer.best;
  hold_until_ = answer.until;
}

void race::filled(std::size_t index) {
  if (attempts_[index].is == state::spoken) release(index, hold_end::full);
  if (is_kept(index)) end_keep();
}

std::size_t race::spoken_one() const {
  std::size_t index = 0;
  while (attempts_[index].is != state::spoken) ++index;
  return index;
}

void race::release(std::size_t winner, hold_end why) {
  end_hold(why);
  win(winner);
}

void race::end_hold(hold_end why) {
  if (held_) commands_.push_back(finish_hold{*held_, why});
  held_.reset();
  hold_until_ = instant::max();
}

// The rules of `keep_runner_up`: one loser runs on for a while. It answers if the winner fails before a byte of its
// answer was sent.

// One that has spoken, else the first in the plan's order. It leaves the race at once, so that its failure starts
// nothing; until the answer, its time has no end. An answer in one piece is not kept: its provider bills it all.
void race::choose_runner_up(std::size_t winner) {
  if (plan_.keep_runner_up.count() <= 0 || is_reopened_) return;
  for (const state wanted : {state::spoken, state::running})
    for (std::size_t index = 0; index < started_ && !kept_; ++index)
      if (attempts_[index].is == wanted && !attempts_[index].is_whole) kept_ = index;
  if (!kept_) return;
  const bool has_token = attempts_[*kept_].is == state::spoken;
  attempts_[*kept_].is = has_token ? state::ready : state::kept;
  keep_until_ = instant::max();
  commands_.push_back(ask_to_keep{*kept_, winner});
}

void race::keep(const keep_answered& answer, instant now) {
  if (!is_kept(answer.attempt) || !is_decided_) return;
  if (!answer.is_granted) return end_keep();
  keep_until_ = now + plan_.keep_runner_up;
  woken_at_.reset();  // the decision ends every wake-up before it
}

// What was to be observed is observed from then on.
void race::end_keep() {
  if (!kept_) return;
  const std::size_t index = *std::exchange(kept_, std::nullopt);
  const bool goes_on = attempts_[index].is == state::kept && is_to_be_observed(index);
  if (goes_on) return observe(index);
  attempts_[index].is = state::done;
  commands_.push_back(cancel_attempt{index, cancel_cause::lost});
  note_end();
}

void race::kept_is_gone() {
  attempts_[*kept_].is = state::done;
  kept_.reset();
  note_end();
}

// Where the runner-up has failed meanwhile, nothing is left.
void race::go_on_without_winner() {
  if (!is_decided_) return;
  const auto runner_up = std::exchange(kept_, std::nullopt);
  stop_observing();
  if (!runner_up) return lose(defeat::all_failed);
  is_decided_ = is_over_ = false;
  is_reopened_ = true;
  woken_at_.reset();
  if (attempts_[*runner_up].is == state::ready) return win(*runner_up);
  attempts_[*runner_up].is = state::running;
}

}  // namespace photofinish::racing
