// The events that a race's rules receive, and the commands that they return. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"

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
struct token_came { std::size_t attempt; bool is_complete = false; };  // a token that may win, or the whole answer
struct answer_ended { std::size_t attempt; };   // without an error, and without a token that may win
struct attempt_failed { std::size_t attempt; };
struct attempt_turned_away { std::size_t attempt; };  // never sent, because a limit of ours left no room
// The attempt asked for its answer in one piece or has begun to receive it so. False: it is a stream after all.
struct whole_awaited {
  std::size_t attempt;
  bool is_whole = true;
};
struct spending_answered { std::size_t attempt; bool is_granted; };  // answers ask_to_spend
// Answers ask_to_hold: the best attempt of those that have spoken.
struct hold_answered { std::size_t best; instant until; };
struct keep_answered { std::size_t attempt; bool is_granted; };     // answers ask_to_keep
struct answer_begun {};    // a byte of the answer was sent, so no other attempt can answer any more
struct winner_failed {};   // the winner failed before a byte of the answer was sent
struct attempt_full { std::size_t attempt; };               // its buffer is full
struct alarm_struck {};
struct client_left {};
// The client has its answer; attempts may be observed for `grace` longer.
struct request_ended { std::chrono::nanoseconds grace; };
using race_event =
    std::variant<race_begun, token_came, answer_ended, attempt_failed, attempt_turned_away, whole_awaited,
                 spending_answered, hold_answered, keep_answered, answer_begun, winner_failed, attempt_full,
                 alarm_struck, client_left, request_ended>;

// Commands, to be carried out in order.
enum class cancel_cause { lost, timed_out, client_left };
enum class defeat { all_failed, timed_out, client_left };
enum class start_reason { first, probe, hedge, failure, rescue, twin };
constexpr auto words_of(start_reason) {
  using enum start_reason;
  return proxy::enum_words<start_reason, 6>{{{first, "first"}, {probe, "probe"}, {hedge, "hedge"},
                                             {failure, "failure"}, {rescue, "rescue"}, {twin, "twin"}}};
}
constexpr std::string_view to_string(start_reason why) { return proxy::word_of(why); }
// `target` is an index in the plan. If the race has a twin, it differs from the attempt's index.
struct start_attempt { std::size_t attempt; start_reason why = start_reason::first; std::size_t target = 0; };
// Asks whether this hedge may start at that target of the plan. spending_answered answers in the same turn.
struct ask_to_spend { std::size_t attempt; std::size_t target = 0; };
// Lists the attempts that have spoken, and the silent attempts that may come as a stream. hold_answered answers in the
// same turn.
struct ask_to_hold {
  struct asked { std::size_t attempt; instant started; std::optional<instant> spoke; };
  std::vector<asked> attempts;
};
struct hold_attempt { std::size_t attempt; };  // its tokens are read and stored
enum class hold_end {
  overtaken,     // another attempt spoke and is expected to finish sooner
  stayed_ahead,  // another attempt spoke and is not expected to finish sooner
  turned,        // the other attempts were silent so long that they would not finish sooner
  complete,      // its answer is complete
  full,          // its buffer is full
  alone,         // no other attempt runs any more
  failed,        // the attempt failed
  race_over,     // the race's time limit passed, or the client left
};
constexpr auto words_of(hold_end) {
  using enum hold_end;
  return proxy::enum_words<hold_end, 8>{{{overtaken, "overtaken"}, {stayed_ahead, "stayed_ahead"}, {turned, "turned"},
                                         {complete, "complete"}, {full, "full"}, {alone, "alone"}, {failed, "failed"},
                                         {race_over, "race_over"}}};
}
constexpr std::string_view to_string(hold_end why) { return proxy::word_of(why); }
struct finish_hold { std::size_t attempt; hold_end why; };
// Asks whether this loser may run on next to that winner; its events are read and stored. keep_answered answers in the
// same turn.
struct ask_to_keep { std::size_t attempt; std::size_t winner; };
struct cancel_attempt { std::size_t attempt; cancel_cause cause; };
struct wake_at { instant when; };               // replaces any earlier wake-up
// The decision. After it only losers are cancelled. It is given once, and again after winner_failed.
struct name_winner { std::size_t attempt; };
struct give_up { defeat cause; };               // the race ends without a winner
// The attempt has lost but runs to its first token, for its figures or only so that its target finishes reading the
// prompt.
struct observe_attempt { std::size_t attempt; bool is_prefill = false; };
using race_command =
    std::variant<start_attempt, ask_to_spend, ask_to_hold, hold_attempt, finish_hold, ask_to_keep,
                 cancel_attempt, wake_at, name_winner, give_up, observe_attempt>;

}  // namespace photofinish::racing
