// The functions with which the owner of a race takes part in it. They create upstreams, answer questions of the race's
// rules, and observe the race. If a function is missing, the default applies: no hedge starts, the first token wins,
// and no loser is kept.
#pragma once

#include "proxy/upstream.hpp"
#include "racing/adaptive/finish_rule.hpp"
#include "racing/forecast/attempt_event.hpp"
#include "racing/race_command.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace photofinish::racing {

struct race_callbacks {
  std::function<std::unique_ptr<proxy::upstream>(std::size_t target)> make_upstream;
  std::function<std::size_t(std::size_t target)> max_held;
  std::function<bool(std::size_t target)> may_spend;
  std::function<hold_choice(const ask_to_hold& asked, instant now)> choose_held;
  std::function<bool(const ask_to_keep& asked)> may_keep;
  std::function<void(std::size_t attempt, attempt_step step)> watch;

  spending_answered answer(const ask_to_spend& asked) const {
    return {asked.attempt, may_spend && may_spend(asked.target)};
  }
  hold_answered answer(const ask_to_hold& asked, instant now) const {
    hold_choice choice{asked.attempts.front().attempt, 0};
    for (const ask_to_hold::asked& each : asked.attempts)
      if (each.spoke) choice.best = each.attempt;
    if (choose_held) choice = choose_held(asked, now);
    const std::chrono::duration<double> wait(choice.seconds);
    return {choice.best, now + std::chrono::duration_cast<std::chrono::nanoseconds>(wait)};
  }
  keep_answered answer(const ask_to_keep& asked) const { return {asked.attempt, may_keep && may_keep(asked)}; }
  void tell(std::size_t attempt, attempt_step step) const {
    if (watch) watch(attempt, step);
  }
};

}  // namespace photofinish::racing
