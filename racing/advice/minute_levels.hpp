// Where a target stood in any minute, looked at from behind: its level smoothed over five minutes to either side, but
// not across a jump. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace photofinish::racing {

struct level_reading {
  double level = 0;           // ln seconds
  double low = 0, high = 0;   // of the minutes around it, across jumps: what is not known better than to some minutes
  double errors = 0, hangs = 0;  // shares
  std::int32_t away = 0;      // minutes to the nearest that is known
};

class minute_levels {
 public:
  // `all` is not empty, and outlives this.
  explicit minute_levels(std::span<const target_minute> all) : all_(all) { find_cooldowns(); }

  level_reading at(std::int32_t minute) const;

 private:
  // What policies that cool a target down go on to leave out when it works again.
  struct cooldown { std::int32_t from = 0, to = 0; };

  void find_cooldowns();
  double errors_at(std::size_t from, std::int32_t minute) const;
  double smoothed(std::size_t from, std::int32_t minute) const;

  std::span<const target_minute> all_;
  std::vector<cooldown> cooldowns_;
};

}  // namespace photofinish::racing
