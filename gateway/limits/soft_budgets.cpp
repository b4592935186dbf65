#include "gateway/limits/soft_budgets.hpp"

#include "proxy/words/decimal_text.hpp"

#include <set>

namespace photofinish::gateway {

std::vector<soft_budget_alert> soft_budget_watch::on(const std::vector<spent_soft_budget>& spent,
                                                     std::chrono::sys_seconds now) {
  std::vector<soft_budget_alert> changes;
  std::set<std::pair<std::string, std::string>> still;
  for (const spent_soft_budget& each : spent) {
    const std::pair<std::string, std::string> whose(each.scope, each.name);
    const auto known = firing_.find(whose);
    if (known != firing_.end() && known->second.budget.window_ends == each.window_ends) {
      still.insert(whose);
      continue;
    }
    // An alert of an earlier budget window is still open. The budget is used up again in the current window, so the old
    // alert ends and a new one begins.
    if (known != firing_.end()) {
      known->second.ends_at = now;
      changes.push_back(known->second);
    }
    firing_[whose] = {each, now, std::nullopt};
    changes.push_back(firing_[whose]);
    still.insert(whose);
  }
  for (auto& [whose, alert] : firing_) {
    if (still.contains(whose)) continue;
    alert.ends_at = now;
    changes.push_back(alert);
  }
  std::erase_if(firing_, [&still](const auto& each) { return !still.contains(each.first); });
  return changes;
}

std::vector<soft_budget_alert> soft_budget_watch::firing() const {
  std::vector<soft_budget_alert> all;
  for (const auto& [whose, alert] : firing_) all.push_back(alert);
  return all;
}

std::string dollars_text(std::int64_t nano_usd) {
  return "$" + proxy::fixed_text(static_cast<double>(nano_usd) / 1e9, 2);
}

}  // namespace photofinish::gateway
