// When which target is asked with which prompt size: each pair once in `every`, spread over it by chance. [pure]
// One thread's; at most one pair is given at a time.
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

  // A probe that is put off is looked at again after about so long.
  static constexpr std::chrono::seconds patience{60};

  explicit probe_schedule(std::uint64_t seed) : chance_(seed) {}

  // From now on these. A pair that was there keeps its time, where `every` stays; a new one's first time is anywhere in
  // `every`: a gateway that is restarted again and again sends no more than one that runs on.
  void adopt(const std::vector<probe_pair>& pairs, std::chrono::milliseconds every, instant now);

  std::optional<instant> next() const;              // none: there is no pair
  std::optional<probe_pair> due(instant now) const;  // the one that is due longest

  // It was asked, or need not be: about `every` later again, a tenth more or less.
  void done(const probe_pair& pair, instant now);
  // It cannot be asked now.
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
  std::vector<place> places_;  // a few targets and sizes
};

}  // namespace photofinish::gateway
