// Decides which target is probed next, and with which prompt size. Each pair of target and size has one probe per
// `every`, at a random time. [pure] Only one thread may use the schedule. At most one pair at a time is being probed.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/probes/chance.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace photofinish::gateway {

struct probe_pair {
  target_name target;
  std::size_t input_tokens = 0;

  bool operator==(const probe_pair&) const = default;
};

class probe_schedule {
 public:
  using instant = std::chrono::steady_clock::time_point;

  // The approximate time after which a postponed probe is considered again.
  static constexpr std::chrono::seconds patience{60};

  explicit probe_schedule(std::uint64_t seed) : chance_(seed) {}

  // Schedules the probes of these pairs from now on. A known pair keeps its time if `every` is unchanged. A new pair's
  // first time is random within `every`. Therefore a gateway that restarts often sends no more probes than a gateway
  // that runs for long.
  void adopt(const std::vector<probe_pair>& pairs, std::chrono::milliseconds every, instant now);

  // Returns the time of the next probe, or nothing if there is no pair.
  std::optional<instant> next() const;
  std::optional<probe_pair> due(instant now) const;  // returns the pair whose probe is overdue the longest

  // Call this function if a pair of target and prompt size was probed, or needs no probe. The pair's next time is about
  // `every` later, a tenth more or less.
  void done(const probe_pair& pair, instant now);
  // Call this function if a pair of target and prompt size cannot be probed now.
  void put_off(const probe_pair& pair, instant now);

 private:
  struct place {
    probe_pair pair;
    instant at;
  };
  void move(const probe_pair& pair, instant to);
  std::chrono::milliseconds part(std::chrono::milliseconds of, double from, double to);

  chance chance_;
  std::chrono::milliseconds every_{0};
  std::vector<place> places_;  // a plain list, because there are few targets and sizes
};

}  // namespace photofinish::gateway
