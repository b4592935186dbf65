// Alerts as Alertmanager posts them to webhooks (version 4 of its format), so that receivers need no new code. [pure]
#pragma once

#include "gateway/limits/soft_budgets.hpp"
#include "racing/statistics/regression.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct alert_context {
  std::string external_url;  // of this gateway, without a slash at its end
  std::map<std::string, std::string> labels;  // of every alert
};

// An alert of whichever kind.
struct posted_alert {
  posted_alert(const racing::regression_alert& alert);  // not explicit: each of them is one
  posted_alert(const soft_budget_alert& alert);

  std::map<std::string, std::string> labels;  // that tell it from others
  std::string summary, description;
  std::string seen_at;  // the path of the gateway that shows more
  racing::wall_time starts_at;
  std::optional<racing::wall_time> ends_at;  // resolved
};

// All alerts of one notification: what fires, and what has just been resolved.
std::string alert_message(const std::vector<posted_alert>& alerts, const alert_context& context);

}  // namespace photofinish::gateway
