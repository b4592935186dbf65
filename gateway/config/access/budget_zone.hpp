// The time zone whose calendar budgets follow: which day it is there, and when a day begins. [pure but for cctz]
// Rules of zones are the machine's (Debian's tzdata), read when a zone is first asked for.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class budget_zone {
 public:
  // By its name in the tz database, as Europe/Berlin; it lives as long as the program. Null: the machine has no such
  // zone.
  static const budget_zone* find(std::string_view name);
  ~budget_zone();
  budget_zone(const budget_zone&) = delete;
  budget_zone& operator=(const budget_zone&) = delete;

  // The date there, as days since 1970-01-01.
  std::chrono::sys_days day_of(std::chrono::sys_seconds when) const;
  // When that date begins there. Where its midnight is left out, as clocks go forward at it in some zones: the moment
  // they do; where it comes twice, the first.
  std::chrono::sys_seconds begin_of(std::chrono::sys_days date) const;

 private:
  struct rules;
  explicit budget_zone(std::unique_ptr<rules> of);
  std::unique_ptr<rules> rules_;
};

}  // namespace photofinish::gateway
