// The rules of one race, as a pure state machine: events and a time go in, commands come out. [pure]
// No I/O, no clock, no threads. race_run.hpp carries the commands out.
//
// An attempt has the index of its target in the plan: targets are started in the plan's order.
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

#include "racing/race_plan.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;

// Events.
struct race_begun {};
struct token_came { std::size_t attempt; bool is_complete = false; };  // one that may win, or the whole answer
struct answer_ended { std::size_t attempt; };   // properly, without a token that may win
struct attempt_failed { std::size_t attempt; };
struct attempt_turned_away { std::size_t attempt; };  // never sent: no room there, by a limit of ours
// The answer was asked for, or has begun to come, in one piece; or, not so, it is a stream all the same.
struct whole_awaited {
  std::size_t attempt;
  bool is_whole = true;
};
struct spending_answered { std::size_t attempt; bool is_granted; };  // to ask_to_spend
struct hold_answered { std::size_t best; instant until; };  // to ask_to_hold: whom to go on with, of those that spoke
struct keep_answered { std::size_t attempt; bool is_granted; };     // to ask_to_keep
struct answer_begun {};    // a byte of the answer is on its way: no other can answer any more
struct winner_failed {};   // before that
struct attempt_full { std::size_t attempt; };               // no more of it can be held
struct alarm_struck {};
struct client_left {};
struct request_ended { std::chrono::nanoseconds grace; };  // the client has its answer; so long may be observed still
using race_event =
    std::variant<race_begun, token_came, answer_ended, attempt_failed, attempt_turned_away, whole_awaited,
                 spending_answered, hold_answered, keep_answered, answer_begun, winner_failed, attempt_full,
                 alarm_struck, client_left, request_ended>;

// Commands, to be carried out in order.
enum class cancel_cause { lost, timed_out, client_left };
enum class defeat { all_failed, timed_out, client_left };
enum class start_reason { first, probe, hedge, failure, rescue };
std::string_view to_string(start_reason why);
struct start_attempt { std::size_t attempt; start_reason why = start_reason::first; };
struct ask_to_spend { std::size_t attempt; };   // may this hedge start? Answered by spending_answered, in the same turn
// Answered by hold_answered, in the same turn. Who has spoken, and who is silent and may come as a stream.
struct ask_to_hold {
  struct asked { std::size_t attempt; instant started; std::optional<instant> spoke; };
  std::vector<asked> attempts;
};
struct hold_attempt { std::size_t attempt; };  // its tokens are read and kept
enum class hold_end {
  overtaken,     // another spoke that finishes sooner
  stayed_ahead,  // another spoke, and does not
  turned,        // the others were silent for so long that they would not
  complete,      // its answer has come whole
  full,          // no more of it can be kept
  alone,         // no other runs any more
  failed,        // it failed
  race_over,     // the race's limit, or the client has left
};
std::string_view to_string(hold_end why);
struct finish_hold { std::size_t attempt; hold_end why; };
// May this loser run on beside that winner? Answered by keep_answered, in the same turn. What it says is read and kept.
struct ask_to_keep { std::size_t attempt; std::size_t winner; };
struct cancel_attempt { std::size_t attempt; cancel_cause cause; };
struct wake_at { instant when; };               // replaces any earlier wake-up
// The decision; only losers are cancelled after it. Given once, and again behind winner_failed.
struct name_winner { std::size_t attempt; };
struct give_up { defeat cause; };               // the end, without a winner
struct observe_attempt { std::size_t attempt; };  // it has lost, and goes on to its first token
using race_command =
    std::variant<start_attempt, ask_to_spend, ask_to_hold, hold_attempt, finish_hold, ask_to_keep,
                 cancel_attempt, wake_at, name_winner, give_up, observe_attempt>;

class race {
 public:
  static constexpr std::chrono::milliseconds asking_pause{250};  // after a hedge that was not granted

  explicit race(race_plan plan);  // target_count, max_parallel and max_attempts are at least 1

  // Events of attempts that do not run, and any event after the end, change nothing.
  std::vector<race_command> on(const race_event& event, instant now);

  bool is_over() const { return is_over_; }  // decided, and no loser is observed or kept any more

  // A loser runs on, and may answer where the winner fails. Ready: it has spoken.
  bool keeps_runner_up() const { return kept_.has_value(); }
  bool has_ready_runner_up() const { return kept_ && attempts_[*kept_].is == state::ready; }

 private:
  enum class state { waiting, running, spoken, failed, empty, observed, kept, ready, done };
  struct attempt { state is = state::waiting; instant started; bool is_whole = false; instant spoke{}; };

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
  std::size_t spoken_one() const;  // there is one

  // The rules of `keep_runner_up`.
  void choose_runner_up(std::size_t winner);
  void keep(const keep_answered& answer, instant now);
  void end_keep();
  void kept_is_gone();
  void go_on_without_winner();
  bool is_kept(std::size_t index) const { return kept_ == index; }
  bool is_to_be_observed(std::size_t index) const;

  void client_gone();
  void request_over(instant until);

  void start_next(instant now, start_reason why);  // if the plan has one left and a place for it
  void start_when_failed(instant now);     // the rule for a failure: the next at once, or the end
  void win(std::size_t index);
  void lose(defeat cause);
  void cancel_running(cancel_cause cause, bool (*which)(const attempt&));
  void cancel_running(cancel_cause cause);
  void observe_running();
  void observe(std::size_t index);
  void observed_enough(std::size_t index);
  void note_end();
  void stop_observing();
  void arrange_wake_up();

  bool may_start() const;
  bool holds_empty_answer() const { return empty_answer_.has_value(); }
  std::size_t running() const { return how_many(state::running); }
  bool has_spoken() const { return how_many(state::spoken) > 0; }
  std::size_t how_many(state wanted) const;
  instant deadline_of(const attempt& running) const;
  std::optional<instant> next_hedge() const;
  std::optional<instant> next_rescue() const;
  std::optional<instant> next_deadline() const;

  race_plan plan_;
  std::vector<attempt> attempts_;          // one per target that may run, in place of those turned away too
  std::size_t started_ = 0;
  instant begun_;
  instant last_start_;
  instant ask_again_;                      // a hedge was not granted: not before then
  bool is_asking_ = false;
  std::optional<std::size_t> held_;        // with win_on finish
  instant hold_until_ = instant::max();
  std::optional<std::size_t> kept_;        // the runner-up
  instant keep_until_ = instant::max();
  bool is_reopened_ = false;               // the winner failed: the runner-up alone may answer
  instant race_deadline_;
  instant answer_deadline_;
  std::optional<std::size_t> empty_answer_;  // the first to end without a token
  std::optional<instant> woken_at_;          // the wake-up already asked for
  bool is_late_ = false;  // behind race_deadline_: only answers in one piece are waited for
  bool is_decided_ = false;
  bool is_over_ = false;
  instant observe_until_;
  std::vector<race_command> commands_;
};

}  // namespace photofinish::racing
