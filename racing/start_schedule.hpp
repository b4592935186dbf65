// Decides when a further attempt starts because the running attempts are silent: as a hedge or as a rescue. [pure]
#pragma once

#include "racing/race_command.hpp"
#include "racing/race_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace photofinish::racing {

class start_schedule {
 public:
  static constexpr std::chrono::milliseconds asking_pause{250};  // pause after the budget has refused a hedge

  void begin(instant now) { begun_ = ask_again_ = now; }
  void note_start(instant now) { last_start_ = now; }

  // Call this function when the race asks the budget whether a hedge may start. No hedge is due until the reply has
  // arrived. Only the policy adaptive asks the budget.
  void note_question() { is_asking_ = true; }
  // Ends the wait for permission. Returns false if the race has not asked.
  bool end_question() { return std::exchange(is_asking_, false); }
  void pause(instant now) { ask_again_ = now + asking_pause; }

  // If the race may start another attempt, returns when the next hedge is due. Otherwise returns instant::max().
  instant hedge_due(const race_plan& plan, std::size_t started) const {
    if (plan.policy == race_policy::hedge) return last_start_ + plan.hedge_delay;
    if (plan.policy != race_policy::adaptive || is_asking_ || started < plan.at_once) return instant::max();
    const std::size_t hedge = started - plan.at_once;
    if (hedge >= std::min(plan.hedge_count, race_plan::max_hedges)) return instant::max();
    return std::max(begun_ + plan.hedge_after[hedge], ask_again_);
  }
  // Returns when another attempt starts because no token has arrived for a long time since the last start of an
  // attempt. Such an attempt is called a rescue, and needs no permission from the budget.
  instant rescue_due(const race_plan& plan) const {
    const bool has_rescue = plan.policy == race_policy::adaptive && plan.rescue_after.count() > 0;
    return has_rescue ? last_start_ + plan.rescue_after : instant::max();
  }

 private:
  instant begun_;
  instant last_start_;
  instant ask_again_;  // when the race may ask the budget for a hedge again
  bool is_asking_ = false;
};

}  // namespace photofinish::racing
