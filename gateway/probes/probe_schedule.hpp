// Decides which target is probed next, and with which prompt size. Each pair of a target and a prompt size is probed
// once per `every`, at a random time. [pure] Only one thread may use the object. At most one pair is being probed at a
// time.
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

  // The approximate time after which a postponed probe is attempted again.
  static constexpr std::chrono::seconds patience{60};

  explicit probe_schedule(std::uint64_t seed) : chance_(seed) {}

  // Sets the pairs of a target and a prompt size that are probed from now on. A pair that was already set keeps its
  // time if `every` is unchanged. The first time of a new pair is random within `every`. Therefore a gateway that
  // restarts often does not send more probes than a gateway that runs for long.
  void adopt(const std::vector<probe_pair>& pairs, std::chrono::milliseconds every, instant now);

  // Returns the time of the next probe. Returns nothing if no probes are configured.
  std::optional<instant> next() const;
  std::optional<probe_pair> due(instant now) const;  // returns the target and prompt size whose probe has been overdue
                                                     // for the longest time

  // Call this function after a target was probed with this prompt size, or if it needs no such probe. The next probe of
  // the same kind is due about one `every` later, varied by up to a tenth.
  void done(const probe_pair& pair, instant now);
  // Call this function if a target cannot be probed with this prompt size now. It schedules a later attempt.
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
  std::vector<place> places_;  // a plain list is fast enough, because it has few entries
};

}  // namespace photofinish::gateway
