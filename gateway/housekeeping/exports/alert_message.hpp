// Alerts in the format that Alertmanager posts to webhooks (version 4), so that receivers need no new code. [pure]
#pragma once

#include "gateway/limits/soft_budgets.hpp"
#include "racing/statistics/regression.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct alert_context {
  std::string external_url;  // the URL of this gateway, without a trailing slash
  std::map<std::string, std::string> labels;  // added to every alert
};

// An alert of any kind.
struct posted_alert {
  posted_alert(const racing::regression_alert& alert);  // not explicit, because each of these alerts is a posted_alert
  posted_alert(const soft_budget_alert& alert);

  std::map<std::string, std::string> labels;  // the labels that distinguish it from other alerts
  std::string summary, description;
  std::string seen_at;  // the gateway's path with more details
  racing::wall_time starts_at;
  std::optional<racing::wall_time> ends_at;  // set if the alert is resolved
};

// All alerts of one notification: the firing ones, and the ones that have just been resolved.
std::string alert_message(const std::vector<posted_alert>& alerts, const alert_context& context);

}  // namespace photofinish::gateway
