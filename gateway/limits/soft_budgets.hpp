// Soft budgets that are spent: each is reported once in its window. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// A budget of which at least the soft part is spent.
struct spent_soft_budget {
  std::string scope, name;  // "team", "search"
  std::int64_t soft_nano_usd = 0, spent_nano_usd = 0;
  std::chrono::sys_seconds window_ends;
};

struct soft_budget_alert {
  spent_soft_budget budget;  // as it was when it was reported
  std::chrono::sys_seconds starts_at;
  std::optional<std::chrono::sys_seconds> ends_at;  // the window is over, or the budget is no longer spent
};

class soft_budget_watch {
 public:
  // Those that are spent now: what began, and what ended.
  std::vector<soft_budget_alert> on(const std::vector<spent_soft_budget>& spent, std::chrono::sys_seconds now);
  std::vector<soft_budget_alert> firing() const;

 private:
  std::map<std::pair<std::string, std::string>, soft_budget_alert> firing_;
};

// "$12.50"
std::string dollars_text(std::int64_t nano_usd);

}  // namespace photofinish::gateway
