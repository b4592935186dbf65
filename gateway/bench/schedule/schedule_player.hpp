// Plays a schedule to its end: waits, runs, and saves the state after each step. The caller passes in all functions
// that touch the machine, so that a test simulates days immediately. [pure]
#pragma once

#include "gateway/bench/schedule/schedule_state.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace photofinish::gateway::bench {

struct slot_result {
  scheduled_run run;
  int interrupted_by = 0;  // a signal's number: the slot stays open, so that a restart can run it within its grace
};

struct schedule_hands {
  std::function<std::chrono::sys_seconds()> now;
  std::function<int(std::chrono::sys_seconds until)> wait;  // returns the signal that ended the wait; 0: it is time
  std::function<slot_result(std::size_t slot)> run;
  // Returns why the state cannot be saved; empty: it was saved.
  std::function<std::string(const schedule_state& state)> keep;
  std::function<void(const std::string& line)> say;
};

struct schedule_end {
  int interrupted_by = 0;
  std::string problem;  // why the schedule cannot continue; empty: it ended, or was interrupted
};

schedule_end play(schedule_state& state, const schedule_hands& hands);

}  // namespace photofinish::gateway::bench
