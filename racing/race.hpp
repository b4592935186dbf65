// The rules of one race, as a pure state machine: events and a time go in, commands come out. [pure]
// No I/O, no clock, no threads. race_run.hpp carries the commands out.
//
// Targets are started in the plan's order. An attempt has the index of its target in the plan, until a twin starts:
// a second attempt at the first target, which is no failed one.
//   running --first token--> won, or lost to another
//           --failure-----> failed: the next target starts at once
//           --turned away-> failed, and does not count as one of max_attempts
//           --end---------> empty: an answer in hand, kept until no other attempt runs; starts nothing
//   running --another won, in an observed race--> observed --its own first token, end, failure--> done
//   running --first token, with win_on finish--> spoken: it wins, or is held while another would finish sooner
// An answer in one piece comes late and all at once: its limit is answer_timeout, which neither first_token_timeout nor
// race_timeout cuts short. Behind race_timeout nothing more is started.
//   running --another won, and it is the runner-up--> kept --first token--> ready
//   kept, ready --the winner failed, and no byte of it was sent--> running, won --its time is over--> done
// An observed loser holds nothing up: the race's limit ends it, the client's leaving, or soon the request's end.
#pragma once

#include "racing/attempt_list.hpp"
#include "racing/race_command.hpp"
#include "racing/race_plan.hpp"
#include "racing/start_schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace photofinish::racing {

// An attempt with a part of its own in the race, and when that ends.
struct timed_attempt {
  std::optional<std::size_t> index;  // none: no attempt has that part
  instant until = instant::max();
};

class race {
 public:
  explicit race(race_plan plan);  // target_count, max_parallel and max_attempts are at least 1

  // Events of attempts that do not run, and any event after the end, change nothing.
  std::vector<race_command> on(const race_event& event, instant now);

  // Decided, and no loser is observed or kept any more.
  bool is_over() const { return is_decided_ && !kept_.index && !attempts_.has(state::observed); }

  // A loser runs on, and may answer where the winner fails. Ready: it has spoken.
  bool keeps_runner_up() const { return kept_.index.has_value(); }
  bool has_ready_runner_up() const { return kept_.index && attempts_[*kept_.index].is == state::ready; }

 private:
  using state = attempt_list::state;
  using attempt = attempt_list::attempt;

  void begin(instant now);
  void token(const token_came& came, instant now);
  void ended(std::size_t index, instant now);
  void failed(std::size_t index, instant now);
  void turned_away(std::size_t index, instant now);
  void struck(instant now);
  void out_of_time();
  void cut_late(instant now);
  void spending(const spending_answered& answer, instant now);
  void start_due(instant now);             // hedges and rescues whose time has come
  // The rules of `win_on: finish`.
  void spoke(std::size_t index, bool is_complete, instant now);
  void ask_whom_to_hold();
  void choose_held(const hold_answered& answer, instant now);
  void filled(std::size_t index);
  void release(std::size_t winner, hold_end why);
  void end_hold(hold_end why);

  // The rules of `keep_runner_up`.
  void choose_runner_up(std::size_t winner);
  void keep(const keep_answered& answer, instant now);
  void end_keep();
  void kept_is_gone();
  void go_on_without_winner();

  void client_gone();
  void request_over(instant until);

  void start_next(instant now, start_reason why);  // if the plan has one left and a place for it
  void start_when_failed(instant now);     // the rule for a failure: the next at once, or the end
  void win(std::size_t index);
  void lose(defeat cause);
  void observe(std::size_t index, bool is_prefill = false);
  std::size_t target_for(start_reason why) const;
  void stop_observing();
  void stop_prefills();
  void arrange_wake_up();

  bool may_start() const;
  instant deadline_of(const attempt& running) const;
  instant next_deadline() const;

  race_plan plan_;
  attempt_list attempts_;
  start_schedule schedule_;
  timed_attempt held_;                     // with win_on finish
  timed_attempt kept_;                     // the runner-up
  instant race_deadline_;
  instant answer_deadline_;
  instant observe_until_;
  instant prefill_until_ = instant::max();
  instant now_;                            // of the event
  std::size_t next_target_ = 0;            // of the plan
  std::size_t winner_ = 0;                 // once decided
  std::optional<std::size_t> empty_answer_;  // the first to end without a token
  std::optional<instant> woken_at_;          // the wake-up already asked for
  bool is_reopened_ = false;  // the winner failed: the runner-up alone may answer
  bool is_late_ = false;  // behind race_deadline_: only answers in one piece are waited for
  bool is_decided_ = false;
  std::vector<race_command> commands_;
};

}  // namespace photofinish::racing
