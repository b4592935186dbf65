// The events that the rules of a race receive, and the commands that the rules return. [pure]
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
// The attempt received a token with which it may win, or its whole answer at once.
struct token_came { std::size_t attempt; bool is_complete = false; };
// The answer ended without an error, but contained no token with which the attempt may win.
struct answer_ended { std::size_t attempt; };
struct attempt_failed { std::size_t attempt; };
// The attempt was not sent, because one of the gateway's own limits was reached.
struct attempt_turned_away { std::size_t attempt; };
// The attempt has requested an answer that is not streamed, or has begun to receive such an answer. If `is_whole` is
// false, the provider streams the answer although the attempt did not request a stream.
struct whole_awaited {
  std::size_t attempt;
  bool is_whole = true;
};
struct spending_answered { std::size_t attempt; bool is_granted; };  // reply to the command ask_to_spend
// Reply to the command ask_to_hold: the best attempt among those that have sent their first token.
struct hold_answered { std::size_t best; instant until; };
struct keep_answered { std::size_t attempt; bool is_granted; };     // reply to the command ask_to_keep
struct answer_begun {};    // a byte of the answer was sent to the client, so no other attempt can be used any more
struct winner_failed {};   // the winner failed before a byte of the answer was sent to the client
struct attempt_full { std::size_t attempt; };               // the attempt's buffer is full
struct alarm_struck {};
struct client_left {};
// The client has received its answer. For the time `grace`, losers may still continue to their first tokens, so that
// their speed is measured.
struct request_ended { std::chrono::nanoseconds grace; };
using race_event =
    std::variant<race_begun, token_came, answer_ended, attempt_failed, attempt_turned_away, whole_awaited,
                 spending_answered, hold_answered, keep_answered, answer_begun, winner_failed, attempt_full,
                 alarm_struck, client_left, request_ended>;

// The commands of a race, which must be executed in the order in which they are returned.
enum class cancel_cause { lost, timed_out, client_left };
enum class defeat { all_failed, timed_out, client_left };
enum class start_reason { first, probe, hedge, failure, rescue, twin };
constexpr auto words_of(start_reason) {
  using enum start_reason;
  return proxy::enum_words<start_reason, 6>{{{first, "first"}, {probe, "probe"}, {hedge, "hedge"},
                                             {failure, "failure"}, {rescue, "rescue"}, {twin, "twin"}}};
}
constexpr std::string_view to_string(start_reason why) { return proxy::word_of(why); }
// Starts an attempt at the target with the index `target` in the plan. After a second attempt at the first target, this
// index differs from the index of the attempt.
struct start_attempt { std::size_t attempt; start_reason why = start_reason::first; std::size_t target = 0; };
// Asks whether a hedge may start at the target with the index `target` in the plan. The event spending_answered must
// follow in the same turn of the event loop.
struct ask_to_spend { std::size_t attempt; std::size_t target = 0; };
// Asks which attempt to hold back. The list contains the attempts that have sent their first token, and the silent
// attempts whose answer may be a stream. The event hold_answered must follow in the same turn of the event loop.
struct ask_to_hold {
  struct asked { std::size_t attempt; instant started; std::optional<instant> spoke; };
  std::vector<asked> attempts;
};
struct hold_attempt { std::size_t attempt; };  // stores the attempt's tokens instead of sending them to the client
enum class hold_end {
  overtaken,     // another attempt has sent its first token and will probably finish sooner than the held-back attempt
  stayed_ahead,  // another attempt has sent its first token, but will probably finish after the held-back attempt
  turned,        // the silent attempts have been silent too long to finish before the held-back attempt
  complete,      // the held-back attempt's answer is complete
  full,          // the held-back attempt's buffer is full
  alone,         // no other attempt is left
  failed,        // the held-back attempt failed
  race_over,     // the race's time limit expired, or the client left
};
constexpr auto words_of(hold_end) {
  using enum hold_end;
  return proxy::enum_words<hold_end, 8>{{{overtaken, "overtaken"}, {stayed_ahead, "stayed_ahead"}, {turned, "turned"},
                                         {complete, "complete"}, {full, "full"}, {alone, "alone"}, {failed, "failed"},
                                         {race_over, "race_over"}}};
}
constexpr std::string_view to_string(hold_end why) { return proxy::word_of(why); }
struct finish_hold { std::size_t attempt; hold_end why; };
// Asks whether this loser may continue after the winner has been chosen. If it may, the loser's events are read and
// stored. The event keep_answered must follow in the same turn of the event loop.
struct ask_to_keep { std::size_t attempt; std::size_t winner; };
struct cancel_attempt { std::size_t attempt; cancel_cause cause; };
struct wake_at { instant when; };               // requests a wake-up and replaces any earlier request
// Names the winner of the race. After this command, only losers are cancelled. A race issues this command once. If the
// winner fails, it may issue the command a second time.
struct name_winner { std::size_t attempt; };
struct give_up { defeat cause; };               // ends the race without a winner
// Lets a loser continue until its first token, to measure the speed of its target, or only so that its target finishes
// reading the prompt.
struct observe_attempt { std::size_t attempt; bool is_prefill = false; };
using race_command =
    std::variant<start_attempt, ask_to_spend, ask_to_hold, hold_attempt, finish_hold, ask_to_keep,
                 cancel_attempt, wake_at, name_winner, give_up, observe_attempt>;

}  // namespace photofinish::racing
