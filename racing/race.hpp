// The rules of one race, as a pure state machine: events and a time go in, commands come out. [pure]
// No I/O, no clock, no threads. race_run.hpp carries the commands out.
//
// Targets are started in the plan's order. An attempt has the index of its target in the plan, until a twin starts.
// A twin is a second attempt at the first target although the first attempt has not failed.
//   running --first token--> won, or lost to another
//           --failure-----> failed: the next target starts immediately
//           --turned away-> failed, and does not count as one of max_attempts
//           --end---------> empty: the answer is kept until no other attempt runs; starts nothing
//   running --another won, in an observed race--> observed --its own first token, end, failure--> done
//   running --first token, with win_on finish--> spoken: it wins, or is held while another would finish sooner
// An answer in one piece comes late and complete: its limit is answer_timeout, which neither first_token_timeout nor
// race_timeout shortens. After race_timeout no attempt is started.
//   running --another won, and it is the runner-up--> kept --first token--> ready
//   kept, ready --the winner failed, and no byte of it was sent--> running, won --its time is over--> done
// An observed loser delays nothing. It ends at the race's limit, if the client leaves, or soon after the request's end.
#pragma once

#include "racing/attempt_list.hpp"
#include "racing/race_command.hpp"
#include "racing/race_plan.hpp"
#include "racing/start_schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace photofinish::racing {

// An attempt with a special role in the race, and the time at which the role ends.
struct timed_attempt {
  std::optional<std::size_t> index;  // empty: no attempt has that role
  instant until = instant::max();
};

class race {
 public:
  explicit race(race_plan plan);  // target_count, max_parallel and max_attempts are at least 1

  // Events of attempts that do not run change nothing. Neither does any event after the end.
  std::vector<race_command> on(const race_event& event, instant now);

  // True if the race is decided and no loser is observed or kept any more.
  bool is_over() const { return is_decided_ && !kept_.index && !attempts_.has(state::observed); }

  // True while a loser runs on that may answer if the winner fails. "Ready" means that it has spoken.
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
  void start_due(instant now);             // starts the hedges and rescues whose time has come
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

  void start_next(instant now, start_reason why);  // if the plan has a target left and a free place
  void start_when_failed(instant now);     // after a failure: starts the next attempt immediately, or ends the race
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
  timed_attempt held_;                     // used with win_on finish
  timed_attempt kept_;                     // the runner-up
  instant race_deadline_;
  instant answer_deadline_;
  instant observe_until_;
  instant prefill_until_ = instant::max();
  instant now_;                            // time of the current event
  std::size_t next_target_ = 0;            // index in the plan
  std::size_t winner_ = 0;                 // valid once decided
  std::optional<std::size_t> empty_answer_;  // the first attempt that ended without a token
  std::optional<instant> woken_at_;          // the wake-up that was already requested
  bool is_reopened_ = false;  // the winner failed, so only the runner-up may answer
  bool is_late_ = false;  // race_deadline_ has passed: the race waits only for answers in one piece
  bool is_decided_ = false;
  std::vector<race_command> commands_;
};

}  // namespace photofinish::racing
