// The rules of `keep_runner_up`: one loser runs on for a while, and answers where the winner fails before a byte of its
// answer was sent. A race, continued.
#include "racing/race.hpp"

#include <utility>

namespace photofinish::racing {

// One that has spoken, else the first in the plan's order. It leaves the race at once, so that its failure starts
// nothing; until the answer, its time has no end. An answer in one piece is not kept: its provider bills it all.
void race::choose_runner_up(std::size_t winner) {
  if (plan_.keep_runner_up.count() <= 0 || is_reopened_) return;
  for (const state wanted : {state::spoken, state::running})
    for (std::size_t index = 0; index < started_ && !kept_; ++index)
      if (attempts_[index].is == wanted && !attempts_[index].is_whole) kept_ = index;
  if (!kept_) return;
  const bool has_token = attempts_[*kept_].is == state::spoken;
  attempts_[*kept_].is = has_token ? state::ready : state::kept;
  keep_until_ = instant::max();
  commands_.push_back(ask_to_keep{*kept_, winner});
}

void race::keep(const keep_answered& answer, instant now) {
  if (!is_kept(answer.attempt) || !is_decided_) return;
  if (!answer.is_granted) return end_keep();
  keep_until_ = now + plan_.keep_runner_up;
  woken_at_.reset();  // the decision ends every wake-up before it
}

// What was to be observed is observed from then on.
void race::end_keep() {
  if (!kept_) return;
  const std::size_t index = *std::exchange(kept_, std::nullopt);
  const bool goes_on = attempts_[index].is == state::kept && is_to_be_observed(index);
  if (goes_on) return observe(index);
  attempts_[index].is = state::done;
  commands_.push_back(cancel_attempt{index, cancel_cause::lost});
  note_end();
}

void race::kept_is_gone() {
  attempts_[*kept_].is = state::done;
  kept_.reset();
  note_end();
}

// Where the runner-up has failed meanwhile, nothing is left.
void race::go_on_without_winner() {
  if (!is_decided_) return;
  const auto runner_up = std::exchange(kept_, std::nullopt);
  stop_observing();
  if (!runner_up) return lose(defeat::all_failed);
  is_decided_ = is_over_ = false;
  is_reopened_ = true;
  woken_at_.reset();
  if (attempts_[*runner_up].is == state::ready) return win(*runner_up);
  attempts_[*runner_up].is = state::running;
}

}  // namespace photofinish::racing
