#include "racing/advice/minute_levels.hpp"

#include <algorithm>
#include <cstdlib>

namespace photofinish::racing {
namespace {

constexpr std::int32_t around = 5;
constexpr double outage = 0.9;      // a minute counts as an outage if at least this share of the attempts fails
// A cooldown continues after the end of an outage, because each cooldown is twice as long as the previous one. This is
// the mean length of that continuation, as a share of the outage's length.
constexpr double left_out = 0.4;
constexpr std::int32_t longest = 10;  // maximum length of a cooldown in minutes

double errors_in(const target_minute& each) {
  return each.attempts == 0 ? 0.0 : static_cast<double>(each.failed) / each.attempts;
}

auto first_behind(std::span<const target_minute> all, std::int32_t minute) {
  const auto is_before = [](std::int32_t wanted, const target_minute& each) { return wanted < each.minute; };
  return std::upper_bound(all.begin(), all.end(), minute, is_before);
}

double level_of(const target_minute& each) { return static_cast<double>(each.level); }

}  // namespace

level_reading minute_levels::at(std::int32_t minute) const {
  const auto after = first_behind(all_, minute);
  const auto from = static_cast<std::size_t>(after == all_.begin() ? 0 : after - all_.begin() - 1);
  level_reading made;
  made.level = smoothed(from, minute);
  made.low = made.high = made.level;
  made.errors = errors_at(from, minute);
  made.hangs = all_[from].hangs / 255.0;
  made.away = std::abs(minute - all_[from].minute);
  const auto behind = first_behind(all_, minute + around);
  for (auto each = first_behind(all_, minute - around - 1); each != behind; ++each) {
    made.low = std::min(made.low, level_of(*each));
    made.high = std::max(made.high, level_of(*each));
    made.away = std::min(made.away, std::abs(minute - each->minute));
  }
  return made;
}

void minute_levels::find_cooldowns() {
  const target_minute* first = nullptr;
  for (const target_minute& each : all_) {
    if (errors_in(each) >= outage) {
      if (!first) first = &each;
    } else if (first) {
      const double length = left_out * static_cast<double>(each.minute - first->minute);
      cooldowns_.push_back({each.minute, each.minute + std::min(longest, static_cast<std::int32_t>(length))});
      first = nullptr;
    }
  }
}

double minute_levels::errors_at(std::size_t from, std::int32_t minute) const {
  const auto is_in = [minute](const cooldown& each) { return each.from <= minute && minute < each.to; };
  return std::any_of(cooldowns_.begin(), cooldowns_.end(), is_in) ? 1.0 : errors_in(all_[from]);
}

// Returns the mean level (logarithm of the usual time) over the adjacent minutes, but not across a jump. Between two
// minutes with data, interpolates linearly, unless the level jumped at the second minute.
double minute_levels::smoothed(std::size_t from, std::int32_t minute) const {
  if (all_[from].jumps != 0 && all_[from].minute == minute) return level_of(all_[from]);
  double sum = level_of(all_[from]), count = 1;
  for (std::size_t at = from; at > 0 && all_[at - 1].jumps == 0 && all_[at - 1].minute >= minute - around; --at)
    sum += level_of(all_[at - 1]), ++count;
  std::size_t next = from + 1;
  for (; next < all_.size() && all_[next].jumps == 0 && all_[next].minute <= minute + around; ++next)
    sum += level_of(all_[next]), ++count;
  const bool is_far = minute - all_[from].minute > around;
  const bool is_alone = next == from + 1 && next < all_.size() && all_[next].jumps == 0;
  if (!is_far || !is_alone) return sum / count;
  const double part = static_cast<double>(minute - all_[from].minute) /
                      static_cast<double>(all_[next].minute - all_[from].minute);
  return level_of(all_[from]) + part * (level_of(all_[next]) - level_of(all_[from]));
}

}  // namespace photofinish::racing
