#include "racing/race_run.hpp"

#include "proxy/loop/spawn.hpp"

#include <cassert>
#include <new>
#include <utility>
#include <variant>

namespace photofinish::racing {
namespace {

// The number of events that usually wait to be processed. More events require more memory. If no memory is left, the
// race is aborted.
constexpr std::size_t usual_inbox = 4;

// Wraps the winner's upstream for its new reader. The race may still be waiting for the upstream's next read when the
// winner is chosen. The new reader then waits for the end of that wait.
class resumed_upstream final : public proxy::upstream {
 public:
  // `is_waiting` is true as long as the race waits for the winner's next read. When this wait ends, `over` is woken.
  // Both must outlive this object.
  resumed_upstream(std::unique_ptr<proxy::upstream> inner, const bool& is_waiting, proxy::signal& over)
      : inner_(std::move(inner)), is_waiting_(is_waiting), over_(over) {}

  boost::asio::awaitable<proxy::result<void>> open() override { return inner_->open(); }
  boost::asio::awaitable<void> readable() override { return is_waiting_ ? wait() : inner_->readable(); }
  std::optional<proxy::result<proxy::stream_event>> read() override { return inner_->read(); }
  std::optional<proxy::result<proxy::stream_event>> poll() override { return inner_->poll(); }
  bool keep_unread() override { return inner_->keep_unread(); }
  bool may_have_event() const override { return inner_->may_have_event(); }
  void close() noexcept override { inner_->close(); }
  const proxy::stream_summary& summary() const override { return inner_->summary(); }

 private:
  boost::asio::awaitable<void> wait() {
    while (is_waiting_) co_await over_.wait();
  }

  std::unique_ptr<proxy::upstream> inner_;
  const bool& is_waiting_;
  proxy::signal& over_;
};

bool may_win(proxy::event_kind kind, win_on wins) {
  if (kind == proxy::event_kind::token) return true;
  return kind == proxy::event_kind::reasoning_token && wins != win_on::visible;
}

proxy::failure timed_out(const proxy::stream_summary& summary) {
  proxy::failure why;
  why.kind = proxy::failure_kind::timeout;
  why.detail = summary.is_unstreamed ? "no answer arrived within total_timeout, and the request did not ask for a "
                                       "stream"
                                     : "no first token within the limit";
  return why;
}

proxy::failure failure_of(const std::exception_ptr& bug) {
  proxy::report_bug("an attempt", bug);
  proxy::failure why;
  why.origin = proxy::failure_origin::gateway;
  why.detail = "an internal error ended the attempt";
  try {
    std::rethrow_exception(bug);
  } catch (const std::bad_alloc&) {
    why = proxy::no_memory_for("the attempt");
  } catch (...) {
  }
  return why;
}

attempt_end end_of(cancel_cause cause) {
  switch (cause) {
    case cancel_cause::lost: return attempt_end::lost;
    case cancel_cause::timed_out: return attempt_end::failed;
    case cancel_cause::client_left: return attempt_end::cancelled;
  }
  return attempt_end::lost;
}

}  // namespace

race_run::race_run(race_plan plan, upstream_factory make_upstream, proxy::alarms& alarms,
                   const boost::asio::any_io_executor& executor, held_limit max_held, proxy::memory_share memory)
    : race_(plan),
      wins_(plan.wins),
      alarms_(alarms),
      executor_(executor),
      callbacks_{.make_upstream = std::move(make_upstream), .max_held = std::move(max_held)},
      memory_(std::move(memory)),
      wake_up_(alarms, [this] { strike(); }) {
  // Reserves memory for all attempts, because coroutines keep references to their running_attempt objects.
  attempts_.reserve(plan.target_count + plan.twins());
  inbox_.reserve(usual_inbox);
}

race_run::~race_run() { assert(children_ == 0); }

boost::asio::awaitable<void> race_run::decide() {
  report_.begun_at = alarms_.now();
  deliver(race_begun{});
  while (!is_decided()) co_await decided_.wait();
  if (bug_ && !report_.winner) std::rethrow_exception(bug_);
}

void race_run::leave() { deliver(client_left{}); }

boost::asio::awaitable<void> race_run::ended() {
  while (has_children()) co_await ended_.wait();
}

proxy::upstream& race_run::winner() { return *attempts_[*report_.winner].upstream; }

race_report race_run::report_until_now() const {
  race_report report = report_;
  for (std::size_t index = 0; index < attempts_.size(); ++index)
    report.attempts[index].summary = attempts_[index].upstream->summary();
  return report;
}

race_report race_run::take_report() {
  if (report_.winner) report_.attempts[*report_.winner].summary = winner().summary();
  return std::move(report_);
}

std::vector<proxy::kept_event>& race_run::held_events() { return attempts_[*report_.winner].held.events; }

const proxy::maybe_failure& race_run::held_failure() const { return attempts_[*report_.winner].broken; }

boost::asio::awaitable<void> race_run::run(std::size_t index, std::size_t max_held) {
  running_attempt& self = attempts_[index];
  auto opened = co_await self.upstream->open();
  if (!opened) co_return fail(index, std::move(opened).error());
  if (self.is_whole != self.upstream->summary().is_unstreamed) {
    self.is_whole = !self.is_whole;
    deliver(whole_awaited{index, self.is_whole});
  }
  while (true) {
    auto next = self.upstream->poll();  // the next event may have arrived in the same read as the head of the answer
    if (!next) {
      co_await self.upstream->readable();
      next = self.upstream->read();
    }
    const outlook seen = self.hold_read(std::move(next), max_held, wins_, memory_);
    const bool goes_on = !seen.has_token && !seen.has_ended && !self.broken;
    auto too_much = memory_.check(self.held, goes_on ? max_held : SIZE_MAX);
    if (too_much) co_return fail(index, std::move(*too_much));
    if (seen.has_token) {
      // Some providers report the usage in their first event.
      report_.attempts[index].summary.usage = self.upstream->summary().usage;
      callbacks_.tell(index, attempt_step::spoke);
      deliver(token_came{index, seen.has_ended});
      if (wins_ == win_on::finish || kept_ == index) co_await hold_on(index, max_held);
      co_return;
    }
    if (self.broken) co_return fail(index, *self.broken);
    if (seen.has_ended) {
      report_.attempts[index].ended_at = alarms_.now();
      self.upstream->close();  // the whole answer is buffered, so the upstream is no longer needed
      callbacks_.tell(index, attempt_step::dropped);
      co_return deliver(answer_ended{index});
    }
  }
}

bool race_run::is_held(std::size_t index) const {
  if (attempts_[index].is_handed_on || report_.attempts[index].cancel_duration) return false;
  return kept_ == index || (!report_.winner && !report_.defeated);
}

// Continues to read an attempt that is held back, until the race is decided or releases the attempt. If the decision is
// made during a read, the winner's new reader receives the event of that read.
boost::asio::awaitable<void> race_run::hold_on(std::size_t index, std::size_t max_held) {
  running_attempt& self = attempts_[index];
  while (is_held(index)) {
    if (self.broken) co_return fail(index, *self.broken);
    auto next = self.upstream->poll();
    if (!next) {
      self.is_awaited = true;
      try {
        co_await self.upstream->readable();
      } catch (...) {  // without this handler, the winner's new reader would wait forever
        self.is_awaited = false;
        handed_on_.wake();
        throw;
      }
      self.is_awaited = false;
      if (!is_held(index)) break;
      next = self.upstream->read();
    }
    const outlook seen = self.hold_read(std::move(next), SIZE_MAX, wins_, memory_);
    if (seen.has_ended) co_return deliver(answer_ended{index});
    if (!self.broken && memory_.check(self.held, max_held)) deliver(attempt_full{index});
  }
  handed_on_.wake();
}

// Buffers the given event and all other events of the same read, because the next read of any attempt overwrites their
// memory. After a token, the upstream keeps the remaining bytes without parsing them, which is cheaper. If more than
// `max_held` bytes are buffered without a token, no further event is read, and the attempt fails.
race_run::outlook race_run::running_attempt::hold_read(std::optional<proxy::result<proxy::stream_event>> next,
                                                       std::size_t max_held, win_on wins, buffer_memory& memory) {
  outlook seen;
  for (; next && !seen.has_ended; next = upstream->poll()) {
    if (!seen.has_token && held.bytes > max_held) break;
    if (!*next) {
      broken = std::move(*next).error();
      break;
    }
    memory.add(**next, held);
    seen.has_token |= may_win((*next)->kind, wins);
    seen.has_ended = (*next)->kind == proxy::event_kind::end;
    if (seen.has_token && upstream->keep_unread()) break;
  }
  return seen;
}

void race_run::fail(std::size_t index, proxy::failure why) {
  attempt_report& mine = report_.attempts[index];
  // Events of an attempt that the gateway has cancelled are ignored.
  if (mine.cancel_duration) return;
  attempts_[index].upstream->close();
  mine.ended_at = alarms_.now();
  const bool was_turned_away = why.kind == proxy::failure_kind::busy;
  mine.why = std::move(why);
  // A loser that continued to its first token keeps its result `lost`.
  if (!mine.was_observed) mine.end = attempt_end::failed;
  callbacks_.tell(index, attempt_step::failed);
  if (was_turned_away) deliver(attempt_turned_away{index});
  else deliver(attempt_failed{index});
}

// Called when a time limit may have passed. Some attempts learn only after their start that their answer arrives in one
// piece. This matters only for their time limits, so the attempts are checked now.
void race_run::strike() {
  try {
    notice_whole();
  } catch (...) {
    return break_off(std::current_exception());
  }
  deliver(alarm_struck{});
}

void race_run::notice_whole() {
  for (std::size_t index = 0; index < attempts_.size(); ++index) {
    running_attempt& each = attempts_[index];
    if (each.is_whole == each.upstream->summary().is_unstreamed) continue;
    each.is_whole = !each.is_whole;
    inbox_.push_back(whole_awaited{index, each.is_whole});
  }
}

void race_run::deliver(race_event event) {
  if (bug_) return;
  const bool is_inner = is_pumping_;
  try {
    inbox_.push_back(event);
    if (is_inner) return;
    is_pumping_ = true;
    pump();
  } catch (...) {
    break_off(std::current_exception());
  }
  if (is_inner) return;
  is_pumping_ = false;
  if (children_ == 0) ended_.wake();  // this call may destroy the race_run object
}

void race_run::pump() {
  while (!inbox_.empty()) {
    const race_event next = inbox_.front();
    inbox_.erase(inbox_.begin());
    const instant now = alarms_.now();
    const auto commands = race_.on(next, now);
    obeying_at_ = now;
    for (const race_command& command : commands) {
      if (bug_) return;
      obey(command);
    }
  }
}

void race_run::obey(const race_command& command) {
  if (auto* begin = std::get_if<start_attempt>(&command)) return start(*begin);
  if (auto* asks = std::get_if<ask_to_spend>(&command)) return inbox_.push_back(callbacks_.answer(*asks));
  if (auto* asks = std::get_if<ask_to_hold>(&command)) return inbox_.push_back(callbacks_.answer(*asks, obeying_at_));
  if (auto* held = std::get_if<hold_attempt>(&command)) {
    report_.hold = hold_report{held->attempt, obeying_at_, obeying_at_, hold_end::race_over};
    return;
  }
  if (auto* end = std::get_if<finish_hold>(&command)) {
    if (report_.hold) report_.hold->ended_at = obeying_at_, report_.hold->why = end->why;
    return;
  }
  if (auto* asks = std::get_if<ask_to_keep>(&command)) {
    const keep_answered answer = callbacks_.answer(*asks);
    if (answer.is_granted) kept_ = asks->attempt;
    report_.attempts[asks->attempt].was_kept = answer.is_granted;
    return inbox_.push_back(answer);
  }
  if (auto* stop = std::get_if<cancel_attempt>(&command)) return cancel(*stop);
  if (auto* wake = std::get_if<wake_at>(&command)) return wake_up_.arm(wake->when);
  if (auto* observe = std::get_if<observe_attempt>(&command)) {
    report_.attempts[observe->attempt].was_observed = true;
    report_.attempts[observe->attempt].is_prefill_finished = observe->is_prefill;
    return;
  }
  report_.decided_at = obeying_at_;
  if (auto* winner = std::get_if<name_winner>(&command)) {
    name(*winner);
  } else if (auto* lost = std::get_if<give_up>(&command)) {
    report_.defeated = lost->cause;
  }
  wake_up_.disarm();
  decided_.wake();
}

void race_run::name(const name_winner& command) {
  running_attempt& winner = attempts_[command.attempt];
  if (winner.is_awaited)  // an allocation may fail, so it comes before all other changes
    winner.upstream = std::make_unique<resumed_upstream>(std::move(winner.upstream), winner.is_awaited, handed_on_);
  winner.is_handed_on = true;
  attempt_report& report = report_.attempts[command.attempt];
  report.end = attempt_end::won;
  report.ended_at = report_.decided_at;
  report_.winner = command.attempt;
}

void race_run::start(const start_attempt& command) {
  const std::size_t index = command.attempt;
  assert(index == attempts_.size());
  running_attempt made{callbacks_.make_upstream(command.target), {}, {}};
  attempt_report report;
  report.target = index;
  report.plan_target = command.target;
  report.why_started = command.why;
  report.started_at = report.ended_at = alarms_.now();
  report_.attempts.push_back(std::move(report));
  attempts_.push_back(std::move(made));  // capacity for all attempts was reserved earlier
  notice_whole();
  callbacks_.tell(index, attempt_step::began);
  proxy::spawn(executor_, "an attempt", run(index, callbacks_.max_held(index)),
               [this, index](const std::exception_ptr& error) { attempt_ended(error, index); });
  ++children_;
}

void race_run::cancel(const cancel_attempt& command) {
  if (command.attempt >= attempts_.size()) return;  // the attempt's upstream could not even be created
  running_attempt& each = attempts_[command.attempt];
  attempt_report& report = report_.attempts[command.attempt];
  report.end = end_of(command.cause);
  if (command.cause == cancel_cause::timed_out) report.why = timed_out(each.upstream->summary());
  if (kept_ == command.attempt) kept_.reset();
  each.upstream->close();
  memory_.drop(each.held);
  report.ended_at = alarms_.now();
  report.cancel_duration = report.ended_at - obeying_at_;
  callbacks_.tell(command.attempt, attempt_step::cut);
}

boost::asio::awaitable<void> race_run::go_on_without_winner(proxy::failure why) {
  const std::size_t index = *report_.winner;
  running_attempt& gone = attempts_[index];
  attempt_report& report = report_.attempts[index];
  gone.upstream->close();
  memory_.drop(gone.held);
  report.end = attempt_end::failed;
  report.why = std::move(why);
  report.ended_at = alarms_.now();
  report.summary = gone.upstream->summary();
  report_.winner.reset();
  report_.replaced = index;
  callbacks_.tell(index, attempt_step::failed);
  deliver(winner_failed{});
  while (!is_decided()) co_await decided_.wait();
  if (bug_ && !report_.winner) std::rethrow_exception(bug_);
}

// Returns the winner's memory share. The race keeps the share of the runner-up.
proxy::memory_share race_run::take_memory() {
  proxy::memory_share taken = memory_.take();
  if (kept_ && !memory_.count(attempts_[*kept_].held)) deliver(attempt_full{*kept_});
  return taken;
}

// The following functions end attempts, and abort the race after a bug or a failed allocation.

void race_run::attempt_ended(const std::exception_ptr& error, std::size_t index) {
  try {
    report_.attempts[index].summary = attempts_[index].upstream->summary();
    // Even after an unexpected error, the attempt must end, so that the race does not wait for it forever.
    if (error) fail(index, failure_of(error));
  } catch (...) {
    break_off(std::current_exception());
  }
  if (--children_ == 0 && !is_pumping_) ended_.wake();  // this call may destroy the race_run object
}

// Aborts the race after a bug, or if there is no memory. The rules cannot continue, because they may have processed
// only a part of an event. Closes all attempts except the winner, which does not need the rules any more. If there is
// no winner, decide() throws.
void race_run::break_off(std::exception_ptr bug) {
  if (bug_) return;
  bug_ = std::move(bug);
  if (report_.winner) proxy::report_bug("the work after a race is decided", bug_);
  inbox_.clear();
  wake_up_.disarm();
  kept_.reset();
  for (std::size_t index = 0; index < attempts_.size(); ++index)
    if (report_.winner != index) attempts_[index].upstream->close();
  decided_.wake();
}

}  // namespace photofinish::racing
