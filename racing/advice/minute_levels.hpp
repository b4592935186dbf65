// Returns the level of a target (the logarithm of its usual time to the first token) in any past minute. The level is
// averaged over five minutes before and after, but not across a jump. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace photofinish::racing {

struct level_reading {
  double level = 0;           // ln seconds
  // The range of the level (logarithm of the usual time) in the minutes before and after this minute. Jumps are
  // included, because the time of a jump is known only to within a few minutes.
  double low = 0, high = 0;
  double errors = 0, hangs = 0;  // shares of the target's attempts that fail, and that hang
  std::int32_t away = 0;      // number of minutes to the nearest minute with data
};

class minute_levels {
 public:
  // `all` must not be empty, and must outlive this object.
  explicit minute_levels(std::span<const target_minute> all) : all_(all) { find_cooldowns(); }

  level_reading at(std::int32_t minute) const;

 private:
  // A period after an outage in which the target works again, but policies with cooldowns still skip it.
  struct cooldown { std::int32_t from = 0, to = 0; };

  void find_cooldowns();
  double errors_at(std::size_t from, std::int32_t minute) const;
  double smoothed(std::size_t from, std::int32_t minute) const;

  std::span<const target_minute> all_;
  std::vector<cooldown> cooldowns_;
};

}  // namespace photofinish::racing
