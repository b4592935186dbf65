// The time zone for budgets: converts times to dates in the zone, and returns the time at which a day begins.
// [pure but for cctz] The machine (Debian's tzdata) provides the rules of zones. The rules of a zone are read when the
// zone is first used.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class budget_zone {
 public:
  // Finds a zone by its name in the tz database, such as Europe/Berlin. The result lives as long as the program.
  // Returns null if the machine has no such zone.
  static const budget_zone* find(std::string_view name);
  ~budget_zone();
  budget_zone(const budget_zone&) = delete;
  budget_zone& operator=(const budget_zone&) = delete;

  // Returns the date in this zone at the time `when`, as days since 1970-01-01.
  std::chrono::sys_days day_of(std::chrono::sys_seconds when) const;
  // Returns the time at which the date begins in this zone. If the clocks skip midnight on this date, returns the time
  // of the skip. If midnight occurs twice, returns the first midnight.
  std::chrono::sys_seconds begin_of(std::chrono::sys_days date) const;

 private:
  struct rules;
  explicit budget_zone(std::unique_ptr<rules> of);
  std::unique_ptr<rules> rules_;
};

}  // namespace photofinish::gateway
