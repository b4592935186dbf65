// The rules of one race as a state machine. [pure] It receives an event and a time, and returns commands. The rules use
// no I/O, no clock and no threads. race_run.hpp executes the commands.
//
// Targets are started in the plan's order. An attempt has the same index as its target in the plan, until a twin
// starts. A twin is a second attempt at the first target, although the first attempt has not failed. The state of a
// running attempt changes as follows:
// - An attempt wins with its first token. The other attempts have then lost. Some races observe the losers until their
//   first tokens.
// - With `win_on: finish`, an attempt does not always win with its first token. It is held back if another attempt will
//   probably finish sooner.
// - If an attempt fails, the next target starts immediately.
// - If a limit of the gateway rejects an attempt, the next target also starts, and the rejected attempt does not count
//   for max_attempts.
// - If an answer ends without a token, it is kept until no other attempt is running. It is not replaced by another
//   target.
// - One loser may be kept as the runner-up for some time. If the winner fails before a byte of its answer was sent, the
//   runner-up wins, or continues until its first token and then wins. Otherwise it is cancelled after that time.
// - A loser may be observed until its first token, its end or its failure. Its observation also ends at the race's time
//   limit, when the client leaves, or soon after the end of the request. The client never waits for an observed loser.
//
// If an answer arrives in one piece, it arrives late and complete. Its time limit is answer_timeout, and not
// first_token_timeout or race_timeout. After race_timeout, no further attempt is started.
#pragma once

#include "racing/attempt_list.hpp"
#include "racing/race_command.hpp"
#include "racing/race_plan.hpp"
#include "racing/start_schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace photofinish::racing {

// An attempt that is in a special state until a given time: it is held back, or it is kept as the runner-up.
struct timed_attempt {
  std::optional<std::size_t> index;  // index of the attempt; empty if no attempt is held back or kept
  instant until = instant::max();
};

class race {
 public:
  explicit race(race_plan plan);  // target_count, max_parallel and max_attempts must be at least 1

  // Handles an event and returns the resulting commands. Events of attempts that are no longer running change nothing,
  // and neither do events after the end of the race.
  std::vector<race_command> on(const race_event& event, instant now);

  // True if the race is decided, no loser is observed, and no runner-up is kept.
  bool is_over() const { return is_decided_ && !kept_.index && !attempts_.has(state::observed); }

  // True while a loser is kept as the runner-up, because the winner may fail. The runner-up is "ready" after its first
  // token.
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
  void start_due(instant now);             // starts the hedges and rescues whose start time has come
  // The following functions implement `win_on: finish`.
  void spoke(std::size_t index, bool is_complete, instant now);
  void ask_whom_to_hold();
  void choose_held(const hold_answered& answer, instant now);
  void filled(std::size_t index);
  void release(std::size_t winner, hold_end why);
  void end_hold(hold_end why);

  // The following functions implement `keep_runner_up`.
  void choose_runner_up(std::size_t winner);
  void keep(const keep_answered& answer, instant now);
  void end_keep();
  void kept_is_gone();
  void go_on_without_winner();

  void client_gone();
  void request_over(instant until);

  // Starts the next target, if there is one and the limit of parallel attempts is not reached.
  void start_next(instant now, start_reason why);
  void start_when_failed(instant now);     // starts the next attempt after a failure, or ends the race
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
  timed_attempt held_;                     // the attempt that is held back, with `win_on: finish`
  timed_attempt kept_;                     // the attempt that is kept as the runner-up
  instant race_deadline_;
  instant answer_deadline_;
  instant observe_until_;
  instant prefill_until_ = instant::max();
  instant now_;                            // time of the current event
  std::size_t next_target_ = 0;            // index of the next target in the plan
  std::size_t winner_ = 0;                 // index of the winner; valid after the decision
  std::optional<std::size_t> empty_answer_;  // the first attempt whose answer ended without a token
  std::optional<instant> woken_at_;          // time of the last requested wake-up
  bool is_reopened_ = false;  // true after the winner has failed; then only the runner-up can win
  // True after race_timeout has passed. The race then waits only for answers that are not streamed.
  bool is_late_ = false;
  bool is_decided_ = false;
  std::vector<race_command> commands_;
};

}  // namespace photofinish::racing
