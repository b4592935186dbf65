// The events that a race's rules receive, and the commands that the rules return. [pure]
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
// A token arrived with which the attempt may win, or the whole answer arrived.
struct token_came { std::size_t attempt; bool is_complete = false; };
// The answer ended without an error and without a token with which the attempt may win.
struct answer_ended { std::size_t attempt; };
struct attempt_failed { std::size_t attempt; };
// The attempt was not sent, because one of the gateway's own limits had no room.
struct attempt_turned_away { std::size_t attempt; };
// The attempt has requested its answer in one piece, or begins to receive such an answer. If `is_whole` is false, the
// answer is a stream after all.
struct whole_awaited {
  std::size_t attempt;
  bool is_whole = true;
};
struct spending_answered { std::size_t attempt; bool is_granted; };  // the answer to the command ask_to_spend
// The answer to the command ask_to_hold: the best of the attempts that have sent their first token.
struct hold_answered { std::size_t best; instant until; };
struct keep_answered { std::size_t attempt; bool is_granted; };     // the answer to the command ask_to_keep
struct answer_begun {};    // a byte of the answer was sent, so no other attempt can answer any more
struct winner_failed {};   // the winner failed before a byte of the answer was sent
struct attempt_full { std::size_t attempt; };               // the attempt's buffer is full
struct alarm_struck {};
struct client_left {};
// The client has its answer. Losers may be observed for the time `grace` after it.
struct request_ended { std::chrono::nanoseconds grace; };
using race_event =
    std::variant<race_begun, token_came, answer_ended, attempt_failed, attempt_turned_away, whole_awaited,
                 spending_answered, hold_answered, keep_answered, answer_begun, winner_failed, attempt_full,
                 alarm_struck, client_left, request_ended>;

// The commands of a race, to be carried out in their order.
enum class cancel_cause { lost, timed_out, client_left };
enum class defeat { all_failed, timed_out, client_left };
enum class start_reason { first, probe, hedge, failure, rescue, twin };
constexpr auto words_of(start_reason) {
  using enum start_reason;
  return proxy::enum_words<start_reason, 6>{{{first, "first"}, {probe, "probe"}, {hedge, "hedge"},
                                             {failure, "failure"}, {rescue, "rescue"}, {twin, "twin"}}};
}
constexpr std::string_view to_string(start_reason why) { return proxy::word_of(why); }
// Starts an attempt at the target with the index `target` in the plan. If the race has a twin, this index differs from
// the attempt's index.
struct start_attempt { std::size_t attempt; start_reason why = start_reason::first; std::size_t target = 0; };
// Asks whether a hedge may start at the target with the index `target` in the plan. The event spending_answered answers
// in the same turn of the event loop.
struct ask_to_spend { std::size_t attempt; std::size_t target = 0; };
// Asks which attempt to hold. Lists the attempts that have sent their first token, and the silent attempts whose
// answers may be streams. The event hold_answered answers in the same turn of the event loop.
struct ask_to_hold {
  struct asked { std::size_t attempt; instant started; std::optional<instant> spoke; };
  std::vector<asked> attempts;
};
struct hold_attempt { std::size_t attempt; };  // holds an attempt: the race reads and stores its tokens
enum class hold_end {
  overtaken,     // another attempt sent its first token and should finish sooner than the held attempt
  stayed_ahead,  // another attempt sent its first token and should not finish sooner than the held attempt
  turned,        // the other attempts were silent for too long to finish sooner
  complete,      // the held attempt's answer is complete
  full,          // the held attempt's buffer is full
  alone,         // no attempt besides the held attempt is left
  failed,        // the held attempt failed
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
// Asks whether this loser may continue after the winner is chosen. The loser's events are read and stored. The event
// keep_answered answers in the same turn of the event loop.
struct ask_to_keep { std::size_t attempt; std::size_t winner; };
struct cancel_attempt { std::size_t attempt; cancel_cause cause; };
struct wake_at { instant when; };               // requests a wake-up, which replaces any earlier wake-up
// Names the winner of the race. After this command only losers are cancelled. A race gives this command once, and again
// after the event winner_failed.
struct name_winner { std::size_t attempt; };
struct give_up { defeat cause; };               // ends the race without a winner
// Lets a loser continue to its first token, to measure its target's speed, or only so that its target finishes reading
// the prompt.
struct observe_attempt { std::size_t attempt; bool is_prefill = false; };
using race_command =
    std::variant<start_attempt, ask_to_spend, ask_to_hold, hold_attempt, finish_hold, ask_to_keep,
                 cancel_attempt, wake_at, name_winner, give_up, observe_attempt>;

}  // namespace photofinish::racing
