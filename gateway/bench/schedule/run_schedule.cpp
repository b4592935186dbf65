#include "gateway/bench/schedule/run_schedule.hpp"

#include "gateway/config/yaml/units.hpp"

#include <algorithm>

namespace photofinish::gateway::bench {

using std::chrono::seconds;
using std::chrono::sys_seconds;

namespace {

constexpr seconds shortest{10}, longest{400LL * 24 * 3600};

}  // namespace

sys_seconds run_schedule::due_at(std::size_t slot) const { return first_at + every * static_cast<std::int64_t>(slot); }

seconds run_schedule::grace() const { return std::max(every / 10, seconds(1)); }

std::variant<run_schedule, std::string> make_schedule(const std::string& every, const std::string& total,
                                                      sys_seconds now) {
  const auto gap = parse_duration(every), all = parse_duration(total);
  if (!gap || *gap < shortest || *gap > longest) return "--every: must be a duration from 10s to 400 days, such as 3h";
  if (!all || *all < *gap || *all > longest) return "--for: must be a duration of at least --every and at most 400 "
                                                    "days, such as 24h";
  run_schedule schedule{.first_at = now, .every = std::chrono::floor<seconds>(*gap)};
  const auto count = static_cast<std::size_t>(std::chrono::floor<seconds>(*all) / schedule.every);
  if (count > most_slots)
    return "--every: a schedule has at most " + std::to_string(most_slots) + " runs: choose a longer interval";
  schedule.slots = count;
  return schedule;
}

next_step step_of(const run_schedule& schedule, std::vector<slot_state>& slots, sys_seconds now) {
  next_step step;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slots[slot] != slot_state::open) continue;
    const sys_seconds due = schedule.due_at(slot);
    if (now > due + schedule.grace()) {
      slots[slot] = slot_state::missed;
      step.newly_missed.push_back(slot);
      continue;
    }
    step.slot = slot;
    step.what = now < due ? next_step::kind::wait : next_step::kind::run;
    step.until = due;
    return step;
  }
  return step;
}

}  // namespace photofinish::gateway::bench
