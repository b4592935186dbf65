// Carries out a schedule to its end: waits, starts runs, and saves the state after each step. The caller provides all
// functions that access the machine, so that a test can simulate days without waiting. [pure]
#pragma once

#include "gateway/bench/schedule/schedule_state.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace photofinish::gateway::bench {

struct slot_result {
  scheduled_run run;
  // The number of the signal that ended the run, or 0. If the process restarts after a signal within the schedule's
  // grace period, it may repeat the run.
  int interrupted_by = 0;
};

struct schedule_hands {
  std::function<std::chrono::sys_seconds()> now;
  // Waits until the given time. Returns the number of the signal that ended the wait, or 0 if the time has come.
  std::function<int(std::chrono::sys_seconds until)> wait;
  std::function<slot_result(std::size_t slot)> run;
  // Saves the state of the schedule. Returns an error text, or an empty text if the state was saved.
  std::function<std::string(const schedule_state& state)> keep;
  std::function<void(const std::string& line)> say;
};

struct schedule_end {
  int interrupted_by = 0;
  // The reason why the schedule cannot continue. Empty if the schedule has ended or was interrupted by a signal.
  std::string problem;
};

schedule_end play(schedule_state& state, const schedule_hands& hands);

}  // namespace photofinish::gateway::bench
