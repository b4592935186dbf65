#include "gateway/limits/budget_window.hpp"

#include "gateway/config/access/budget_zone.hpp"

namespace photofinish::gateway {

using std::chrono::sys_days;
using std::chrono::sys_seconds;

namespace {

sys_days next_monday(sys_days today) {
  // The number of days since the last Monday, 0 to 6.
  const std::chrono::days since = std::chrono::weekday(today) - std::chrono::Monday;
  return today - since + std::chrono::weeks(1);
}

sys_days next_month(sys_days today) {
  const std::chrono::year_month_day date(today);
  return sys_days((date.year() / date.month() + std::chrono::months(1)) / 1);
}

sys_days next_begin(budget_unit unit, sys_days today) {
  if (unit == budget_unit::month) return next_month(today);
  return unit == budget_unit::week ? next_monday(today) : today + std::chrono::days(1);
}

}  // namespace

sys_seconds window_end(const budget_period& period, sys_seconds now) {
  if (period.unit == budget_unit::length) {
    const std::chrono::seconds into = now.time_since_epoch() % period.length;
    return now - into + period.length;
  }
  if (period.zone == nullptr) return next_begin(period.unit, std::chrono::floor<std::chrono::days>(now));
  return period.zone->begin_of(next_begin(period.unit, period.zone->day_of(now)));
}

}  // namespace photofinish::gateway
