// The rules of `win_on: finish`: who has spoken may be held while another that is silent still would finish sooner. A
// race, continued.
#include "racing/race.hpp"

namespace photofinish::racing {

std::string_view to_string(hold_end why) {
  switch (why) {
    case hold_end::overtaken: return "overtaken";
    case hold_end::stayed_ahead: return "stayed_ahead";
    case hold_end::turned: return "turned";
    case hold_end::complete: return "complete";
    case hold_end::full: return "full";
    case hold_end::alone: return "alone";
    case hold_end::failed: return "failed";
    case hold_end::race_over: return "race_over";
  }
  return "race_over";
}

void race::spoke(std::size_t index, bool is_complete, instant now) {
  attempts_[index].is = state::spoken;
  attempts_[index].spoke = now;
  if (is_complete) return release(index, held_ == index ? hold_end::complete : hold_end::overtaken);
  ask_whom_to_hold();
}

// An answer in one piece is its own first token: when it comes cannot be said from what is known of first tokens.
void race::ask_whom_to_hold() {
  ask_to_hold question;
  for (std::size_t index = 0; index < started_; ++index) {
    const attempt& each = attempts_[index];
    if (each.is == state::spoken) question.attempts.push_back({index, each.started, each.spoke});
    if (each.is == state::running && !each.is_whole) question.attempts.push_back({index, each.started, std::nullopt});
  }
  commands_.push_back(std::move(question));
}

void race::choose_held(const hold_answered& answer, instant now) {
  if (is_decided_ || answer.best >= started_ || attempts_[answer.best].is != state::spoken) return;
  const bool was_overtaken = held_ && held_ != answer.best;
  if (was_overtaken) end_hold(hold_end::overtaken);
  if (now >= answer.until || running() == 0)
    return release(answer.best, how_many(state::spoken) > 1 ? hold_end::stayed_ahead : hold_end::turned);
  for (std::size_t index = 0; index < started_; ++index) {
    if (index == answer.best || attempts_[index].is != state::spoken) continue;
    attempts_[index].is = state::done;
    commands_.push_back(cancel_attempt{index, cancel_cause::lost});
  }
  if (held_ != answer.best) commands_.push_back(hold_attempt{answer.best});
  held_ = answer.best;
  hold_until_ = answer.until;
}

void race::filled(std::size_t index) {
  if (attempts_[index].is == state::spoken) release(index, hold_end::full);
  if (is_kept(index)) end_keep();
}

std::size_t race::spoken_one() const {
  std::size_t index = 0;
  while (attempts_[index].is != state::spoken) ++index;
  return index;
}

void race::release(std::size_t winner, hold_end why) {
  end_hold(why);
  win(winner);
}

void race::end_hold(hold_end why) {
  if (held_) commands_.push_back(finish_hold{*held_, why});
  held_.reset();
  hold_until_ = instant::max();
}

}  // namespace photofinish::racing
