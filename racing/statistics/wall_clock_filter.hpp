// Wall time that does not jump. [pure]
// What is kept by wall time must not be lost because a clock was set wrong for a moment, or set right at last. A second
// clock, which only counts on (also while the machine sleeps), says how much time has really passed. A wall clock that
// disagrees is not followed until it has kept to its new time for a while; then all that was kept moves along, so that
// every age stays what it was.
#pragma once

#include <chrono>
#include <optional>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;
using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

struct wall_reading {
  wall_time now;
  std::chrono::milliseconds shift{0};   // what was kept by this clock before must be moved by so much
  std::chrono::milliseconds jumped{0};  // the wall clock has just jumped by so much, and is not followed yet
};

class wall_clock_filter {
 public:
  // Differences up to this are a clock being set right bit by bit, and are followed at once.
  static constexpr std::chrono::milliseconds tolerance{30'000};
  // A clock that was set wrong is noticed by people, and by NTP, within minutes.
  static constexpr std::chrono::milliseconds settling{std::chrono::minutes{15}};

  // `wall` and `counted` are read at the same moment; `counted` never goes back.
  wall_reading read(wall_time wall, instant counted);

 private:
  struct jump {
    std::chrono::milliseconds by;
    instant since;
  };

  wall_reading follow(wall_time wall, instant counted, std::chrono::milliseconds shift);

  std::optional<wall_time> last_;  // the last reading that was followed, or what stood in its place
  instant last_counted_{};
  std::optional<jump> doubted_;
};

}  // namespace photofinish::racing
