// Alerts as Alertmanager posts them to webhooks (version 4 of its format), so that receivers need no new code. [pure]
#pragma once

#include "racing/statistics/regression.hpp"

#include <map>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct alert_context {
  std::string external_url;  // of this gateway, without a slash at its end
  std::map<std::string, std::string> labels;  // of every alert
};

// All alerts of one notification: what fires, and what has just been resolved.
std::string alert_message(const std::vector<racing::regression_alert>& alerts, const alert_context& context);

}  // namespace photofinish::gateway
