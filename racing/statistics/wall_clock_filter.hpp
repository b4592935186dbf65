// Reads a wall time that does not jump. [pure] Data with wall times must not be lost because a clock was wrong for a
// moment, or was corrected. A second clock, which never jumps (and also counts while the machine sleeps), shows how
// much time has really passed. If the wall clock disagrees, its time is ignored until it has kept its new time for a
// while. Then all stored times are shifted, so that every age stays the same.
#pragma once

#include <chrono>
#include <optional>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;
using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

struct wall_reading {
  wall_time now;
  std::chrono::milliseconds shift{0};   // the amount by which the caller must shift stored times
  std::chrono::milliseconds jumped{0};  // the size of the wall clock's latest jump; the new time is not used yet
};

class wall_clock_filter {
 public:
  // The largest difference between the clocks that counts as a gradual correction of the wall clock. The filter follows
  // such a correction immediately.
  static constexpr std::chrono::milliseconds tolerance{30'000};
  // The time for which a wrong wall clock must keep its new time before the filter follows it. People and NTP notice a
  // wrong clock within minutes.
  static constexpr std::chrono::milliseconds settling{std::chrono::minutes{15}};

  // `wall` and `counted` must be read at the same moment; `counted` never goes back.
  wall_reading read(wall_time wall, instant counted);

 private:
  struct jump {
    std::chrono::milliseconds by;
    instant since;
  };

  wall_reading follow(wall_time wall, instant counted, std::chrono::milliseconds shift);

  std::optional<wall_time> last_;  // the last reading that the filter followed, or its replacement
  instant last_counted_{};
  std::optional<jump> doubted_;
};

}  // namespace photofinish::racing
