#include "racing/statistics/wall_clock_filter.hpp"

namespace photofinish::racing {

wall_reading wall_clock_filter::read(wall_time wall, instant counted) {
  if (!last_) return follow(wall, counted, {});
  const auto passed = std::chrono::floor<std::chrono::milliseconds>(counted - last_counted_);
  const wall_time expected = *last_ + passed;
  const std::chrono::milliseconds off = wall - expected;
  if (std::chrono::abs(off) <= tolerance) return follow(wall, counted, {});

  const bool is_new = !doubted_ || std::chrono::abs(off - doubted_->by) > tolerance;
  if (is_new) doubted_ = jump{off, counted};
  if (counted - doubted_->since >= settling) return follow(wall, counted, off);
  last_ = expected;
  // `passed` is rounded down to whole milliseconds. The remaining fraction is counted by the next call, because
  // `last_counted_` is increased by `passed` and not set to `counted`.
  last_counted_ += passed;
  return {.now = expected, .shift = {}, .jumped = is_new ? off : std::chrono::milliseconds(0)};
}

wall_reading wall_clock_filter::follow(wall_time wall, instant counted, std::chrono::milliseconds shift) {
  last_ = wall;
  last_counted_ = counted;
  doubted_.reset();
  return {.now = wall, .shift = shift, .jumped = {}};
}

}  // namespace photofinish::racing
