// Tests when the window of a budget ends, according to the calendar of the budget's time zone.
#include "gateway/limits/budget_window.hpp"

#include "gateway/config/access/budget_zone.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

TEST(BudgetWindow, FollowsTheCalendar) {
  const auto at = [](int year, unsigned month, unsigned day, std::chrono::seconds time) {
    return sys_seconds(sys_days(std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day)) + time);
  };
  EXPECT_EQ(window_end({budget_unit::day}, at(2026, 12, 31, 23h)), at(2027, 1, 1, 0s));
  EXPECT_EQ(window_end({budget_unit::month}, at(2026, 12, 1, 0s)), at(2027, 1, 1, 0s));
  EXPECT_EQ(window_end({budget_unit::month}, at(2028, 2, 29, 1h)), at(2028, 3, 1, 0s));
  EXPECT_EQ(window_end({budget_unit::week}, at(2026, 11, 22, 23h)), at(2026, 11, 23, 0s));  // a Sunday
  EXPECT_EQ(window_end({budget_unit::week}, at(2026, 11, 23, 0s)), at(2026, 11, 30, 0s));
  EXPECT_EQ(window_end({budget_unit::length, 5h}, at(1970, 1, 1, 4h)), at(1970, 1, 1, 5h));
  EXPECT_EQ(window_end({budget_unit::length, 5h}, at(1970, 1, 1, 5h)), at(1970, 1, 1, 10h));
}

TEST(BudgetWindow, FollowsTheCalendarOfItsZone) {
  const auto at = [](int year, unsigned month, unsigned day, std::chrono::seconds time) {
    return sys_seconds(sys_days(std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day)) + time);
  };
  const auto end = [](budget_unit unit, const char* zone, sys_seconds now) {
    const budget_zone* const found = budget_zone::find(zone);
    EXPECT_NE(found, nullptr) << zone;
    return window_end({.unit = unit, .zone = found}, now);
  };
  EXPECT_EQ(end(budget_unit::day, "Europe/Berlin", at(2026, 11, 27, 22h + 59min)), at(2026, 11, 27, 23h));
  EXPECT_EQ(end(budget_unit::day, "Europe/Berlin", at(2026, 11, 27, 23h)), at(2026, 11, 28, 23h));
  EXPECT_EQ(end(budget_unit::month, "Asia/Tokyo", at(2026, 11, 30, 15h)), at(2026, 12, 31, 15h)) << "December there";
  EXPECT_EQ(end(budget_unit::week, "America/New_York", at(2026, 11, 23, 4h)), at(2026, 11, 23, 5h)) << "a Sunday there";
  // When clocks change, a day has 23 or 25 hours.
  EXPECT_EQ(end(budget_unit::day, "Europe/Berlin", at(2026, 3, 28, 23h)), at(2026, 3, 29, 22h));
  EXPECT_EQ(end(budget_unit::day, "Europe/Berlin", at(2026, 10, 24, 22h)), at(2026, 10, 25, 23h));
  // In Havana, clocks jump from 00:00 to 01:00 in spring, so one day begins at 01:00.
  EXPECT_EQ(end(budget_unit::day, "America/Havana", at(2026, 3, 8, 4h)), at(2026, 3, 8, 5h));
  EXPECT_EQ(end(budget_unit::day, "America/Havana", at(2026, 3, 8, 5h)), at(2026, 3, 9, 4h));
  EXPECT_EQ(window_end({budget_unit::length, 5h, budget_zone::find("Asia/Tokyo")}, at(1970, 1, 1, 4h)),
            at(1970, 1, 1, 5h));
}

// Checks every hour of two years, in time zones of all kinds. A budget's window must end in the future, and the next window must begin
// where the current window ends.
TEST(BudgetWindow, EndsBehindNowAndOnceADay) {
  for (const char* name : {"Europe/Berlin", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe", "Asia/Kathmandu",
                           "America/Santiago", "Africa/Cairo", "Pacific/Apia", "UTC"}) {
    const budget_zone* const zone = budget_zone::find(name);
    ASSERT_NE(zone, nullptr) << name;
    sys_seconds ends{};
    for (sys_seconds now = sys_days(std::chrono::year(2026) / 1 / 1); now < sys_days(std::chrono::year(2028) / 1 / 1);
         now += 1h) {
      const sys_seconds end = window_end({.unit = budget_unit::day, .zone = zone}, now);
      ASSERT_GT(end, now) << name;
      ASSERT_LE(end - now, 26h) << name;
      if (now < ends) {
        ASSERT_EQ(end, ends) << name;
      }
      ends = end;
    }
  }
}

TEST(BudgetZone, IsAZoneOfTheMachines) {
  EXPECT_EQ(budget_zone::find("Europe/Berlin"), budget_zone::find("Europe/Berlin"));
  for (const char* name : {"", "Europe/Atlantis", "../zoneinfo/Europe/Berlin", "/usr/share/zoneinfo/UTC", "Europe", "CET "})
    EXPECT_EQ(budget_zone::find(name), nullptr) << name;
}

}  // namespace
}  // namespace photofinish::gateway
