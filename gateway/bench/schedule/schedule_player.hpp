// Plays a schedule to its end: waits, runs, keeps the state after each step. What touches the machine is handed in, so
// that days pass in a test at once. [pure]
#pragma once

#include "gateway/bench/schedule/schedule_state.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace photofinish::gateway::bench {

struct slot_result {
  scheduled_run run;
  int interrupted_by = 0;  // a signal: the slot stays open, for a restart within its grace
};

struct schedule_hands {
  std::function<std::chrono::sys_seconds()> now;
  std::function<int(std::chrono::sys_seconds until)> wait;       // the signal that ended it; 0: it is time
  std::function<slot_result(std::size_t slot)> run;
  std::function<std::string(const schedule_state& state)> keep;  // why it cannot be kept; empty: it is
  std::function<void(const std::string& line)> say;
};

struct schedule_end {
  int interrupted_by = 0;
  std::string problem;  // why it cannot go on; empty: it came to its end, or was interrupted
};

schedule_end play(schedule_state& state, const schedule_hands& hands);

}  // namespace photofinish::gateway::bench
