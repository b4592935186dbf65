// When the runs of `--every 3h --for 24h` are due, whatever happens in between: a machine that sleeps, a restart, a
// run that takes longer than the time between two. Time is the wall's, and an argument. [pure]
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
  std::chrono::sys_seconds first_at{};  // when the first run is due
  std::chrono::seconds every{};
  std::size_t slots = 0;

  std::chrono::sys_seconds due_at(std::size_t slot) const;
  // A run that begins this much after it was due is still that slot's: a tenth of the time between two.
  std::chrono::seconds grace() const;
};

// "--every 3h --for 24h" are eight runs, the first now. The schedule, or what is wrong.
std::variant<run_schedule, std::string> make_schedule(const std::string& every, const std::string& total,
                                                      std::chrono::sys_seconds now);

enum class slot_state {
  open,
  measured,
  failed,  // it ran, and there is no report
  missed,  // no process was there when it was due, or another run was still going on
};

constexpr auto words_of(slot_state) {
  using enum slot_state;
  return proxy::enum_words<slot_state, 4>{
      {{open, "open"}, {measured, "measured"}, {failed, "failed"}, {missed, "missed"}}};
}

// What to do at `now`. Slots whose time has passed without a run are marked as missed in `slots`.
struct next_step {
  enum class kind { run, wait, over } what = kind::over;
  std::size_t slot = 0;                  // of run and wait
  std::chrono::sys_seconds until{};      // of wait
  std::vector<std::size_t> newly_missed;
};
next_step step_of(const run_schedule& schedule, std::vector<slot_state>& slots, std::chrono::sys_seconds now);

}  // namespace photofinish::gateway::bench
