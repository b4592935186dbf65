// The rules of one race, as a pure state machine: it receives an event and a time, and returns commands. [pure] The
// rules use no I/O, no clock and no threads. race_run.hpp carries out the commands.
//
// Targets are started in the plan's order. An attempt has the same index as its target in the plan, until a twin
// starts. A twin is a second attempt at the first target although the first attempt has not failed. A running attempt
// changes its state as follows:
// - With its first token it wins. If another attempt wins, it has lost. Some races observe their losers.
// - With `win_on: finish` it has spoken after its first token: it wins, or it is held while another attempt is expected
//   to finish sooner.
// - If it fails, the next target starts immediately.
// - If a limit turns it away, the next target also starts, and the attempt does not count towards max_attempts.
// - If it ends without a token, its empty answer is kept until no other attempt runs. No target starts in its place.
// - If it loses and is the runner-up, it is kept, and is ready with its first token. If the winner fails before a byte
//   of its answer was sent, a kept attempt runs again, and a ready attempt wins. Otherwise it ends after its time.
// - An observed loser ends with its own first token, end or failure, at the race's limit, if the client leaves, or soon
//   after the request's end. It delays nothing.
//
// An answer in one piece arrives late and complete. Its time limit is answer_timeout. The limits first_token_timeout
// and race_timeout do not end it. After race_timeout no attempt is started.
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
  std::optional<std::size_t> index;  // index of the attempt; empty if no attempt has the role
  instant until = instant::max();
};

class race {
 public:
  explicit race(race_plan plan);  // requires target_count, max_parallel and max_attempts of at least 1

  // Handles an event and returns the commands that follow from the event. An event of an attempt that no longer runs
  // changes nothing. After the race's end no event changes anything.
  std::vector<race_command> on(const race_event& event, instant now);

  // True if the race is decided and no loser is still observed or kept.
  bool is_over() const { return is_decided_ && !kept_.index && !attempts_.has(state::observed); }

  // True while the runner-up continues: a loser that may answer if the winner fails. The runner-up is "ready" if it has
  // sent its first token.
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

  // Starts the next target if the plan has another target and the limit of parallel attempts is not reached.
  void start_next(instant now, start_reason why);
  void start_when_failed(instant now);     // starts the next attempt immediately after a failure, or ends the race
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
  timed_attempt held_;                     // the attempt that is held, with `win_on: finish`
  timed_attempt kept_;                     // the runner-up, while it is kept
  instant race_deadline_;
  instant answer_deadline_;
  instant observe_until_;
  instant prefill_until_ = instant::max();
  instant now_;                            // time of the event that the race processes now
  std::size_t next_target_ = 0;            // index of the next target in the plan
  std::size_t winner_ = 0;                 // the winner's index, valid after the decision
  std::optional<std::size_t> empty_answer_;  // the first attempt that ended without a token
  std::optional<instant> woken_at_;          // time of the wake-up that the race has already requested
  bool is_reopened_ = false;  // true after the winner failed, so only the runner-up may still answer
  bool is_late_ = false;  // true after race_deadline_: the race waits only for answers in one piece
  bool is_decided_ = false;
  std::vector<race_command> commands_;
};

}  // namespace photofinish::racing
