#include "gateway/bench/schedule/schedule_player.hpp"

#include "gateway/bench/schedule/series.hpp"
#include "gateway/log/time_text.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway::bench {
namespace {

std::string run_name(const schedule_state& state, std::size_t slot) {
  return "run " + std::to_string(slot + 1) + " of " + std::to_string(state.runs.size());
}

class player {
 public:
  player(schedule_state& state, const schedule_hands& hands) : state_(state), hands_(hands) {}

  schedule_end play() {
    while (true) {
      const next_step step = next();
      if (!end_.problem.empty() || step.what == next_step::kind::over) break;
      const bool goes_on = step.what == next_step::kind::wait ? wait(step) : run(step.slot);
      if (!goes_on) break;
    }
    if (end_.interrupted_by != 0) say_how_to_go_on();
    return std::move(end_);
  }

 private:
  next_step next() {
    std::vector<slot_state> slots = state_.slots();
    next_step step = step_of(state_.schedule, slots, hands_.now());
    for (const std::size_t slot : step.newly_missed) {
      state_.runs[slot].state = slot_state::missed;
      hands_.say(run_name(state_, slot) + " was missed: the run was due at " +
                 second_text(state_.schedule.due_at(slot)) +
                 ", and missed runs are not repeated");
    }
    if (!step.newly_missed.empty()) keep();
    return step;
  }

  bool wait(const next_step& step) {
    hands_.say(run_name(state_, step.slot) + " begins at " + second_text(step.until));
    end_.interrupted_by = hands_.wait(step.until);
    return end_.interrupted_by == 0;
  }

  bool run(std::size_t slot) {
    slot_result result = hands_.run(slot);
    end_.interrupted_by = result.interrupted_by;
    if (end_.interrupted_by != 0) return false;
    state_.runs[slot] = std::move(result.run);
    keep();
    return end_.problem.empty();
  }

  void keep() { end_.problem = hands_.keep(state_); }

  void say_how_to_go_on() {
    const auto left = std::count_if(state_.runs.begin(), state_.runs.end(),
                                    [](const scheduled_run& each) { return each.state == slot_state::open; });
    hands_.say("interrupted; " + std::to_string(left) + " of " + std::to_string(state_.runs.size()) +
               " runs are left. To continue, start the same command again; runs that are due in the meantime are "
               "missed");
  }

  schedule_state& state_;
  const schedule_hands& hands_;
  schedule_end end_;
};

}  // namespace

schedule_end play(schedule_state& state, const schedule_hands& hands) { return player(state, hands).play(); }

}  // namespace photofinish::gateway::bench
