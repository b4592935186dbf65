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

// True if the first attempt is silent and no second attempt was started at its target.
bool may_twin(const attempt_list& attempts) {
  if (attempts.started() == 0 || attempts[0].is != attempt_list::state::running) return false;
  for (std::size_t index = 1; index < attempts.started(); ++index)
    if (attempts[index].target == attempts[0].target) return false;
  return true;
}

// Returns when the next attempt must start because all attempts have been silent for a long time (rescue). If two
// attempts at the same target are silent, the target probably hangs, so the rescue starts earlier.
instant rescue_due(const race_plan& plan, const start_schedule& schedule, const attempt_list& attempts) {
  // A rescue usually waits for 4 to 12 times the usual time to the first token. If a second attempt at the same target
  // is also silent, the waiting time is divided by this number.
  constexpr int parts = 4;
  const instant due = schedule.rescue_due(plan);
  const std::size_t started = attempts.started();
  if (due == instant::max() || plan.is_hedge_twin || started < 2) return due;
  const bool is_twin = attempts[started - 1].target == attempts[0].target;
  return is_twin ? due - plan.rescue_after + plan.rescue_after / parts : due;
}

bool is_to_be_observed(const race_plan& plan, std::size_t index) {
  return plan.disposition == losers::observed || plan.probe == index;
}

// True if the loser at `index` continues so that its target reads the prompt into its cache. The winner's target has
// already read the prompt. If several losers use the same target, only one of them continues.
bool finishes_prefill(const race_plan& plan, const attempt_list& attempts, std::size_t winner, std::size_t index) {
  const std::size_t target = attempts[index].target;
  if (target >= 64 || (plan.finishes_prefill >> target & 1) == 0) return false;
  for (std::size_t other = 0; other < attempts.started(); ++other)
    if (other != index && attempts[other].target == target &&
        (other == winner || attempts[other].is == attempt_list::state::observed))
      return false;
  return true;
}

}  // namespace

race::race(race_plan plan) : plan_(plan), attempts_(std::min(plan.target_count + plan.twins(), plan.max_attempts)) {
  assert(plan_.target_count > 0 && plan_.max_parallel > 0 && plan_.max_attempts > 0);
}

std::vector<race_command> race::on(const race_event& event, instant now) {
  if (is_over() && !std::holds_alternative<winner_failed>(event)) return {};
  commands_.clear();
  now_ = now;
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
  // Starts an attempt whose start time has already passed, because the end of another attempt may have made room for
  // it.
  if (!is_decided_ && plan_.policy == race_policy::adaptive) start_due(now);
  if (!is_over()) arrange_wake_up();
  return std::exchange(commands_, {});
}

void race::begin(instant now) {
  assert(attempts_.started() == 0);
  race_deadline_ = now + std::min(plan_.race_timeout, plan_.answer_timeout);
  answer_deadline_ = now + plan_.answer_timeout;
  schedule_.begin(now);
  start_next(now, start_reason::first);
  if (plan_.policy == race_policy::all)
    while (may_start()) start_next(now, start_reason::first);
  if (plan_.policy != race_policy::adaptive) return;
  while (attempts_.started() < plan_.at_once && may_start())
    start_next(now, plan_.probe == attempts_.started() ? start_reason::probe : start_reason::first);
}

void race::token(const token_came& came, instant now) {
  const std::size_t index = came.attempt;
  if (attempts_[index].is == state::running)
    return plan_.wins == win_on::finish ? spoke(index, came.is_complete, now) : win(index);
  if (attempts_[index].is == state::kept) attempts_[index].is = state::ready;
  if (attempts_[index].is == state::observed) attempts_.cancel(index, cancel_cause::lost, commands_);
}

void race::ended(std::size_t index, instant now) {
  if (attempts_[index].is == state::kept) return kept_is_gone();
  if (attempts_[index].is == state::spoken) return release(index, hold_end::complete);
  if (attempts_[index].is == state::observed) attempts_[index].is = state::done;
  if (attempts_[index].is != state::running) return;
  attempts_[index].is = state::empty;
  if (!empty_answer_) empty_answer_ = index;
  start_when_failed(now);
}

void race::failed(std::size_t index, instant now) {
  if (kept_.index == index) return kept_is_gone();
  if (attempts_[index].is == state::observed) attempts_[index].is = state::done;
  if (attempts_[index].is == state::spoken) end_hold(hold_end::failed);
  else if (attempts_[index].is != state::running) return;
  attempts_[index].is = state::failed;
  start_when_failed(now);
}

// Handles an attempt that a limit of the gateway rejected before it was sent. It cost nothing, so another target may be
// used instead.
void race::turned_away(std::size_t index, instant now) {
  if (attempts_[index].is == state::running && attempts_.places() < plan_.target_count + plan_.twins())
    attempts_.add_place();
  failed(index, now);
}

void race::struck(instant now) {
  woken_at_.reset();
  if (is_decided_) {
    if (now >= kept_.until) end_keep();
    if (now >= observe_until_) stop_observing();
    if (now >= prefill_until_) stop_prefills();
    return;
  }
  if (held_.index && now >= held_.until) return release(*held_.index, hold_end::turned);
  if (now >= race_deadline_ && !is_late_) out_of_time();
  if (!is_decided_) cut_late(now);
  if (is_decided_) return;
  start_due(now);
}

void race::start_due(instant now) {
  if (now >= rescue_due(plan_, schedule_, attempts_)) start_next(now, start_reason::rescue);
  if (!may_start() || now < schedule_.hedge_due(plan_, attempts_.started())) return;
  if (plan_.policy == race_policy::hedge) return start_next(now, start_reason::hedge);
  schedule_.note_question();
  commands_.push_back(ask_to_spend{attempts_.started(), target_for(start_reason::hedge)});
}

// Handles the budget's reply to the question whether a hedge may start. The reply has no effect if the attempt has
// already started for another reason.
void race::spending(const spending_answered& answer, instant now) {
  if (!schedule_.end_question() || is_decided_ || answer.attempt != attempts_.started()) return;
  if (answer.is_granted) start_next(now, start_reason::hedge);
  else schedule_.pause(now);
}

// Handles the expiry of the race's time limit. If an answer is available now, it wins, because a later answer may never
// arrive.
void race::out_of_time() {
  is_late_ = true;
  if (const auto spoken = attempts_.find(state::spoken)) return release(*spoken, hold_end::race_over);
  const auto is_late = [this](const attempt& each) { return is_live(each) && (empty_answer_ || !each.is_whole); };
  attempts_.cancel_if(is_late, cancel_cause::timed_out, commands_);
  if (attempts_.has(state::running)) return;
  if (empty_answer_) win(*empty_answer_);
  else lose(defeat::timed_out);
}

void race::cut_late(instant now) {
  for (std::size_t index = 0; index < attempts_.started() && !is_decided_; ++index) {
    if (attempts_[index].is != state::running || now < deadline_of(attempts_[index])) continue;
    attempts_.cancel(index, cancel_cause::timed_out, commands_);
    start_when_failed(now);
  }
}

void race::client_gone() {
  if (is_decided_) {
    end_keep();
    return stop_observing();
  }
  end_hold(hold_end::race_over);
  attempts_.cancel_if(is_live, cancel_cause::client_left, commands_);
  lose(defeat::client_left);
}

void race::request_over(instant until) {
  if (!is_decided_) return;
  end_keep();
  observe_until_ = std::min(observe_until_, until);
}

void race::start_next(instant now, start_reason why) {
  const std::size_t target = target_for(why);
  if (!may_start() || target >= plan_.target_count) return;
  const bool is_twin = target < next_target_;
  if (!is_twin) ++next_target_;
  schedule_.note_start(now);
  attempts_.start(is_twin && why == start_reason::hedge ? start_reason::twin : why, target, now, commands_);
}

std::size_t race::target_for(start_reason why) const {
  const bool is_planned = (why == start_reason::hedge && plan_.is_hedge_twin) ||
                          (why == start_reason::rescue && plan_.is_rescue_twin);
  return is_planned && may_twin(attempts_) ? attempts_[0].target : next_target_;
}

void race::start_when_failed(instant now) {
  const bool is_running = attempts_.has(state::running);
  if (const auto spoken = attempts_.find(state::spoken))
    return is_running ? ask_whom_to_hold() : release(*spoken, hold_end::alone);
  if (next_target_ < plan_.rescue_only_from) start_next(now, start_reason::failure);
  if (attempts_.has(state::running)) return;
  if (empty_answer_) return win(*empty_answer_);
  lose(defeat::all_failed);
}

void race::win(std::size_t index) {
  attempts_[index].is = state::done;
  is_decided_ = true;
  winner_ = index;
  // Asks whether the runner-up may continue. This must happen before name_winner, because the runner-up may fail
  // immediately after that command.
  choose_runner_up(index);
  commands_.push_back(name_winner{index});
  observe_until_ = race_deadline_;
  for (std::size_t loser = 0; loser < attempts_.started(); ++loser) {
    if (attempts_[loser].is != state::running) continue;
    if (is_to_be_observed(plan_, loser)) observe(loser);
    else if (finishes_prefill(plan_, attempts_, winner_, loser)) observe(loser, true);
  }
  attempts_.cancel_if(is_live, cancel_cause::lost, commands_);
}

void race::lose(defeat cause) {
  is_decided_ = true;
  commands_.push_back(give_up{cause});
}

void race::observe(std::size_t index, bool is_prefill) {
  woken_at_.reset();  // a wake-up that was requested before the decision is no longer valid
  attempts_[index].is = state::observed;
  attempts_[index].is_prefill = is_prefill;
  if (is_prefill) prefill_until_ = now_ + prefill_limit;
  commands_.push_back(observe_attempt{index, is_prefill});
}

void race::stop_prefills() {
  prefill_until_ = instant::max();
  const auto is_it = [](const attempt& each) { return each.is == state::observed && each.is_prefill; };
  attempts_.cancel_if(is_it, cancel_cause::lost, commands_);
}

void race::stop_observing() {
  attempts_.cancel_if([](const attempt& each) { return each.is == state::observed; }, cancel_cause::lost, commands_);
}

void race::arrange_wake_up() {
  instant when = is_decided_ ? observe_until_ : is_late_ ? answer_deadline_ : race_deadline_;
  when = std::min({when, next_deadline(), held_.until, kept_.until, prefill_until_});
  if (may_start())
    when = std::min({when, schedule_.hedge_due(plan_, attempts_.started()), rescue_due(plan_, schedule_, attempts_)});
  if (woken_at_ == when) return;
  woken_at_ = when;
  commands_.push_back(wake_at{when});
}

bool race::may_start() const {
  const bool has_target = next_target_ < plan_.target_count || (plan_.twins() > 0 && may_twin(attempts_));
  return has_target && !is_decided_ && !is_late_ && !is_reopened_ && !empty_answer_ &&
         attempts_.started() < attempts_.places() &&
         attempts_.count(state::running) < plan_.max_parallel && !attempts_.has(state::spoken);
}

instant race::deadline_of(const attempt& running) const {
  return running.is_whole ? answer_deadline_ : running.started + plan_.first_token_timeout;
}

instant race::next_deadline() const {
  instant earliest = instant::max();
  for (std::size_t index = 0; index < attempts_.started(); ++index)
    if (attempts_[index].is == state::running) earliest = std::min(earliest, deadline_of(attempts_[index]));
  return earliest;
}

// The following functions implement `win_on: finish`. An attempt that has sent its first token is held back as long as
// another attempt, which is still silent, will probably finish sooner.

void race::spoke(std::size_t index, bool is_complete, instant now) {
  attempts_[index].is = state::spoken;
  attempts_[index].spoke = now;
  if (is_complete) return release(index, held_.index == index ? hold_end::complete : hold_end::overtaken);
  ask_whom_to_hold();
}

// Asks the race's owner which attempt to hold back. Attempts whose answer arrives in one piece are left out: the answer
// is complete when it arrives, so predictions of first tokens do not apply.
void race::ask_whom_to_hold() {
  ask_to_hold question;
  for (std::size_t index = 0; index < attempts_.started(); ++index) {
    const attempt& each = attempts_[index];
    if (each.is == state::spoken) question.attempts.push_back({index, each.started, each.spoke});
    if (each.is == state::running && !each.is_whole) question.attempts.push_back({index, each.started, std::nullopt});
  }
  commands_.push_back(std::move(question));
}

void race::choose_held(const hold_answered& answer, instant now) {
  if (is_decided_ || answer.best >= attempts_.started() || attempts_[answer.best].is != state::spoken) return;
  const bool was_overtaken = held_.index && held_.index != answer.best;
  if (was_overtaken) end_hold(hold_end::overtaken);
  if (now >= answer.until || !attempts_.has(state::running))
    return release(answer.best, attempts_.count(state::spoken) > 1 ? hold_end::stayed_ahead : hold_end::turned);
  const attempt& best = attempts_[answer.best];
  attempts_.cancel_if([&best](const attempt& each) { return each.is == state::spoken && &each != &best; },
                      cancel_cause::lost, commands_);
  if (held_.index != answer.best) commands_.push_back(hold_attempt{answer.best});
  held_ = {answer.best, answer.until};
}

void race::filled(std::size_t index) {
  if (attempts_[index].is == state::spoken) release(index, hold_end::full);
  if (kept_.index == index) end_keep();
}

void race::release(std::size_t winner, hold_end why) {
  end_hold(why);
  win(winner);
}

void race::end_hold(hold_end why) {
  if (held_.index) commands_.push_back(finish_hold{*held_.index, why});
  held_ = {};
}

// The following functions implement `keep_runner_up`: one loser continues for a limited time. If the winner fails
// before a byte of its answer was sent to the client, this loser's answer is used.

// Chooses the runner-up. This is an attempt that has sent its first token, or else the first attempt in the plan's
// order. It is no longer part of the race, so that its failure starts no other attempt. It has no time limit until the
// race's owner has decided whether to keep it. Attempts whose answer arrives in one piece are not kept, because the
// provider bills the whole answer.
void race::choose_runner_up(std::size_t winner) {
  if (plan_.keep_runner_up.count() <= 0 || is_reopened_) return;
  for (const state wanted : {state::spoken, state::running})
    for (std::size_t index = 0; index < attempts_.started() && !kept_.index; ++index)
      if (attempts_[index].is == wanted && !attempts_[index].is_whole) kept_.index = index;
  if (!kept_.index) return;
  const bool has_token = attempts_[*kept_.index].is == state::spoken;
  attempts_[*kept_.index].is = has_token ? state::ready : state::kept;
  commands_.push_back(ask_to_keep{*kept_.index, winner});
}

void race::keep(const keep_answered& answer, instant now) {
  if (kept_.index != answer.attempt || !is_decided_) return;
  if (!answer.is_granted) return end_keep();
  kept_.until = now + plan_.keep_runner_up;
  woken_at_.reset();  // a wake-up that was requested before the decision is no longer valid
}

// Ends the extra time of the runner-up. Cancels the runner-up, unless it must be observed until its first token.
void race::end_keep() {
  const auto index = std::exchange(kept_, {}).index;
  if (!index) return;
  const bool is_silent = attempts_[*index].is == state::kept;
  if (is_silent && is_to_be_observed(plan_, *index)) return observe(*index);
  if (is_silent && finishes_prefill(plan_, attempts_, winner_, *index)) return observe(*index, true);
  attempts_.cancel(*index, cancel_cause::lost, commands_);
}

void race::kept_is_gone() {
  attempts_[*kept_.index].is = state::done;
  kept_ = {};
}

// Continues the race after the winner has failed. If the runner-up has also failed, no attempt is left.
void race::go_on_without_winner() {
  if (!is_decided_) return;
  const auto runner_up = std::exchange(kept_, {}).index;
  stop_observing();
  if (!runner_up) return lose(defeat::all_failed);
  is_decided_ = false;
  is_reopened_ = true;
  woken_at_.reset();
  if (attempts_[*runner_up].is == state::ready) return win(*runner_up);
  attempts_[*runner_up].is = state::running;
}

}  // namespace photofinish::racing
