// Returns a wall-clock time that does not jump. If a clock is wrong for a moment, or is corrected, stored data with
// wall-clock times must not be lost. A second clock never jumps and also counts while the machine sleeps, so it shows
// how much time has really passed. If the wall clock disagrees with the second clock, the wall clock is ignored until
// it has kept its new time for a few minutes. Then all stored times are shifted, so that the age of all data stays the
// same. [pure]
#pragma once

#include <chrono>
#include <optional>

namespace photofinish::racing {

using instant = std::chrono::steady_clock::time_point;
using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

struct wall_reading {
  wall_time now;
  std::chrono::milliseconds shift{0};   // by how much the caller must shift stored times
  std::chrono::milliseconds jumped{0};  // size of the wall clock's latest jump, if its new time is not used yet
};

class wall_clock_filter {
 public:
  // The maximum difference between the clocks that counts as a gradual correction of the wall clock. Such a correction
  // is used immediately.
  static constexpr std::chrono::milliseconds tolerance{30'000};
  // After a jump, the wall clock must keep its new time this long before it is used. People and NTP usually notice a
  // wrong clock within minutes.
  static constexpr std::chrono::milliseconds settling{std::chrono::minutes{15}};

  // `wall` and `counted` must be read at the same moment. `counted` never goes back.
  wall_reading read(wall_time wall, instant counted);

 private:
  struct jump {
    std::chrono::milliseconds by;
    instant since;
  };

  wall_reading follow(wall_time wall, instant counted, std::chrono::milliseconds shift);

  std::optional<wall_time> last_;  // the time that the last reading returned
  instant last_counted_{};
  std::optional<jump> doubted_;
};

}  // namespace photofinish::racing
