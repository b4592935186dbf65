// Reports soft budgets that are used up. Each budget is reported once per budget window. [pure]
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// A budget whose spending has reached its soft limit.
struct spent_soft_budget {
  std::string scope, name;  // the kind and the name of the budget's owner, for example "team" and "search"
  std::int64_t soft_nano_usd = 0, spent_nano_usd = 0;
  std::chrono::sys_seconds window_ends;
};

struct soft_budget_alert {
  spent_soft_budget budget;  // the state of the budget when the alert began
  std::chrono::sys_seconds starts_at;
  // The time when the alert ended, because the budget window ended or because the spending was below the soft limit
  // again.
  std::optional<std::chrono::sys_seconds> ends_at;
};

class soft_budget_watch {
 public:
  // Compares the budgets that have reached their soft limit with the budgets of the last call. Returns the alerts that
  // have begun or ended.
  std::vector<soft_budget_alert> on(const std::vector<spent_soft_budget>& spent, std::chrono::sys_seconds now);
  std::vector<soft_budget_alert> firing() const;

 private:
  std::map<std::pair<std::string, std::string>, soft_budget_alert> firing_;
};

// Formats nano dollars as dollars, for example "$12.50".
std::string dollars_text(std::int64_t nano_usd);

}  // namespace photofinish::gateway
