// The time zone of the calendar for budgets: the date there, and the time at which a day begins. [pure but for cctz]
// Zone rules come from the machine (Debian's tzdata), and are read when a zone is first used.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class budget_zone {
 public:
  // Finds a zone by its name in the tz database, such as Europe/Berlin. It lives as long as the program. Null: the
  // machine has no such zone.
  static const budget_zone* find(std::string_view name);
  ~budget_zone();
  budget_zone(const budget_zone&) = delete;
  budget_zone& operator=(const budget_zone&) = delete;

  // The date there, as days since 1970-01-01.
  std::chrono::sys_days day_of(std::chrono::sys_seconds when) const;
  // The beginning of that date there. If clocks skip its midnight, the time of the skip; if its midnight occurs twice,
  // the first.
  std::chrono::sys_seconds begin_of(std::chrono::sys_days date) const;

 private:
  struct rules;
  explicit budget_zone(std::unique_ptr<rules> of);
  std::unique_ptr<rules> rules_;
};

}  // namespace photofinish::gateway
