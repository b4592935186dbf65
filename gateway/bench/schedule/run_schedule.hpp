// Computes when the runs of `--every 3h --for 24h` are due. The computation stays correct if the machine sleeps, the
// process restarts, or a run lasts longer than the interval. The wall-clock time is an argument. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {

inline constexpr std::size_t most_slots = 10'000;

struct run_schedule {
  std::chrono::sys_seconds first_at{};  // the time when the first run is due
  std::chrono::seconds every{};
  std::size_t slots = 0;

  std::chrono::sys_seconds due_at(std::size_t slot) const;
  // Returns the grace period of a run, which is a tenth of the interval. If a run starts later than its due time plus
  // the grace period, it counts as missed.
  std::chrono::seconds grace() const;
};

// Makes a schedule from two options. "--every 3h --for 24h" means eight runs, and the first run starts now. Returns the
// schedule, or an error text.
std::variant<run_schedule, std::string> make_schedule(const std::string& every, const std::string& total,
                                                      std::chrono::sys_seconds now);

enum class slot_state {
  open,
  measured,
  failed,  // the run ended without a report
  missed,  // the run did not take place, because no process was running or the previous run had not ended
};

constexpr auto words_of(slot_state) {
  using enum slot_state;
  return proxy::enum_words<slot_state, 4>{
      {{open, "open"}, {measured, "measured"}, {failed, "failed"}, {missed, "missed"}}};
}

// The next action of a schedule. step_of() also marks runs in `slots` as missed if their time has passed.
struct next_step {
  enum class kind { run, wait, over } what = kind::over;
  // The index of the run that is due now, or of the next run if the schedule must wait.
  std::size_t slot = 0;
  std::chrono::sys_seconds until{};      // the time at which the wait ends
  std::vector<std::size_t> newly_missed;
};
next_step step_of(const run_schedule& schedule, std::vector<slot_state>& slots, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway::bench
