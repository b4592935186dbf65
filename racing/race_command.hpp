// The events that a race's rules hear, and the commands that they answer with. [pure]
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
enum class start_reason { first, probe, hedge, failure, rescue, twin };
constexpr auto words_of(start_reason) {
  using enum start_reason;
  return proxy::enum_words<start_reason, 6>{{{first, "first"}, {probe, "probe"}, {hedge, "hedge"},
                                             {failure, "failure"}, {rescue, "rescue"}, {twin, "twin"}}};
}
constexpr std::string_view to_string(start_reason why) { return proxy::word_of(why); }
// `target` of the plan: with a twin in the race the attempt's index is another one.
struct start_attempt { std::size_t attempt; start_reason why = start_reason::first; std::size_t target = 0; };
// May this hedge start, at that target of the plan? Answered by spending_answered, in the same turn.
struct ask_to_spend { std::size_t attempt; std::size_t target = 0; };
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
constexpr auto words_of(hold_end) {
  using enum hold_end;
  return proxy::enum_words<hold_end, 8>{{{overtaken, "overtaken"}, {stayed_ahead, "stayed_ahead"}, {turned, "turned"},
                                         {complete, "complete"}, {full, "full"}, {alone, "alone"}, {failed, "failed"},
                                         {race_over, "race_over"}}};
}
constexpr std::string_view to_string(hold_end why) { return proxy::word_of(why); }
struct finish_hold { std::size_t attempt; hold_end why; };
// May this loser run on beside that winner? Answered by keep_answered, in the same turn. What it says is read and kept.
struct ask_to_keep { std::size_t attempt; std::size_t winner; };
struct cancel_attempt { std::size_t attempt; cancel_cause cause; };
struct wake_at { instant when; };               // replaces any earlier wake-up
// The decision; only losers are cancelled after it. Given once, and again behind winner_failed.
struct name_winner { std::size_t attempt; };
struct give_up { defeat cause; };               // the end, without a winner
// It has lost, and runs to its first token: for its figures, or only so that its target has read the prompt.
struct observe_attempt { std::size_t attempt; bool is_prefill = false; };
using race_command =
    std::variant<start_attempt, ask_to_spend, ask_to_hold, hold_attempt, finish_hold, ask_to_keep,
                 cancel_attempt, wake_at, name_winner, give_up, observe_attempt>;

}  // namespace photofinish::racing
