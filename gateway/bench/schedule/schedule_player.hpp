// Plays a schedule to its end: waits, runs, and saves the state after each step. The caller passes all functions that
// touch the machine, so that a test can simulate days without waiting. [pure]
#pragma once

#include "gateway/bench/schedule/schedule_state.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace photofinish::gateway::bench {

struct slot_result {
  scheduled_run run;
  // The number of a signal, or 0; after a signal a restart can run the same slot within its grace.
  int interrupted_by = 0;
};

struct schedule_hands {
  std::function<std::chrono::sys_seconds()> now;
  // Returns the signal that ended the wait, or 0 when the time has come.
  std::function<int(std::chrono::sys_seconds until)> wait;
  std::function<slot_result(std::size_t slot)> run;
  // Returns why the state cannot be saved, or an empty text if it was saved.
  std::function<std::string(const schedule_state& state)> keep;
  std::function<void(const std::string& line)> say;
};

struct schedule_end {
  int interrupted_by = 0;
  std::string problem;  // the reason why the schedule cannot continue; empty if it ended or was interrupted
};

schedule_end play(schedule_state& state, const schedule_hands& hands);

}  // namespace photofinish::gateway::bench
