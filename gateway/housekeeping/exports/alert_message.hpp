// Formats alerts as Alertmanager posts them to webhooks (version 4), so that existing receivers understand them. [pure]
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
  std::map<std::string, std::string> labels;  // labels that are added to every alert
};

// An alert of any kind, in the form in which it is posted.
struct posted_alert {
  // The constructors are not explicit, so that each kind of alert is converted implicitly.
  posted_alert(const racing::regression_alert& alert);
  posted_alert(const soft_budget_alert& alert);

  std::map<std::string, std::string> labels;  // the labels that distinguish this alert from other alerts
  std::string summary, description;
  std::string seen_at;  // the path on this gateway that shows details about the alert
  racing::wall_time starts_at;
  std::optional<racing::wall_time> ends_at;  // the time when the alert was resolved; empty while it fires
};

// Returns the text of one notification. `alerts` contains the firing alerts and the alerts that have
// just been resolved.
std::string alert_message(const std::vector<posted_alert>& alerts, const alert_context& context);

}  // namespace photofinish::gateway
