#include "gateway/limits/budgets/budget_window.hpp"

namespace photofinish::gateway {

using std::chrono::sys_days;
using std::chrono::sys_seconds;

namespace {

sys_days next_monday(sys_days today) {
  const std::chrono::days since = std::chrono::weekday(today) - std::chrono::Monday;  // 0 to 6
  return today - since + std::chrono::weeks(1);
}

sys_days next_month(sys_days today) {
  const std::chrono::year_month_day date(today);
  return sys_days((date.year() / date.month() + std::chrono::months(1)) / 1);
}

}  // namespace

sys_seconds window_end(const budget_period& period, sys_seconds now) {
  const sys_days today = std::chrono::floor<std::chrono::days>(now);
  switch (period.unit) {
    case budget_unit::month: return next_month(today);
    case budget_unit::week: return next_monday(today);
    case budget_unit::day: return today + std::chrono::days(1);
    case budget_unit::length: break;
  }
  const std::chrono::seconds into = now.time_since_epoch() % period.length;
  return now - into + period.length;
}

}  // namespace photofinish::gateway
