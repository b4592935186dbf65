#include "gateway/housekeeping/exports/alert_message.hpp"

#include "gateway/log/time_text.hpp"
#include "proxy/http/trace_context.hpp"
#include "proxy/words/decimal_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;
using label_set = std::map<std::string, std::string>;

constexpr const char* never = "0001-01-01T00:00:00Z";  // Go's zero time, which means that the time is missing

label_set labels_of(const posted_alert& alert, const alert_context& context) {
  label_set labels = context.labels;
  for (const auto& [name, value] : alert.labels) labels[name] = value;
  labels.try_emplace("severity", "ticket");
  return labels;
}

// Identifies an alert: equal labels give equal fingerprints (FNV-1a over the labels, as in Prometheus).
std::string fingerprint(const label_set& labels) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](std::string_view bytes) {
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    hash = (hash ^ 0xFF) * 0x100000001b3;
  };
  for (const auto& [name, value] : labels) mix(name), mix(value);
  return proxy::to_hex(hash);
}

json alert_json(const posted_alert& alert, const label_set& labels, const alert_context& context) {
  return {{"status", alert.ends_at ? "resolved" : "firing"},
          {"labels", labels},
          {"annotations", {{"summary", alert.summary}, {"description", alert.description}}},
          {"startsAt", time_text(alert.starts_at)},
          {"endsAt", alert.ends_at ? time_text(*alert.ends_at) : never},
          {"generatorURL", context.external_url + alert.seen_at},
          {"fingerprint", fingerprint(labels)}};
}

label_set common(const label_set& one, const label_set& other) {
  label_set shared;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::inserter(shared, shared.end()));
  return shared;
}

}  // namespace

posted_alert::posted_alert(const racing::regression_alert& alert)
    : seen_at("/v1/providers/stats"), starts_at(alert.starts_at), ends_at(alert.ends_at) {
  const std::size_t slash = std::min(alert.target.find('/'), alert.target.size());
  const bool is_speed = alert.kind == racing::regression::speed;
  labels = {{"alertname", is_speed ? "PhotofinishThroughputRegression" : "PhotofinishTtftRegression"},
            {"provider", alert.target.substr(0, slash)},
            {"model", alert.target.substr(std::min(slash + 1, alert.target.size()))}};
  const std::string unit = is_speed ? " tok/s" : " s";
  const std::string recent = proxy::short_text(alert.recent, 3) + unit;
  const std::string baseline = proxy::short_text(alert.baseline, 3) + unit;
  const std::string what = is_speed ? "output speed" : "time to first token";
  summary = alert.target + ": median " + what + " " + recent + ", usually " + baseline;
  description = "The median " + what + " of " + alert.target + " over the last few minutes is " + recent +
                "; over the whole window of statistics it is " + baseline + ".";
}

posted_alert::posted_alert(const soft_budget_alert& alert)
    : seen_at("/v1/usage"), starts_at(alert.starts_at), ends_at(alert.ends_at) {
  const spent_soft_budget& budget = alert.budget;
  labels = {{"alertname", "PhotofinishSoftBudget"}, {"scope", budget.scope}, {"name", budget.name}};
  const std::string whose = budget.scope + " " + budget.name;
  summary = whose + ": soft_budget of " + dollars_text(budget.soft_nano_usd) + " is spent";
  description = "The " + whose + " has spent " + dollars_text(budget.spent_nano_usd) + " of its soft_budget of " +
                dollars_text(budget.soft_nano_usd) + " in the window that ends at " + time_text(budget.window_ends) +
                ".";
}

std::string alert_message(const std::vector<posted_alert>& alerts, const alert_context& context) {
  json list = json::array();
  bool is_firing = false;
  label_set shared;
  for (const posted_alert& alert : alerts) {
    const label_set labels = labels_of(alert, context);
    shared = list.empty() ? labels : common(shared, labels);
    list.push_back(alert_json(alert, labels, context));
    is_firing = is_firing || !alert.ends_at;
  }
  return json{{"version", "4"},
              {"groupKey", "{}:{}"},
              {"truncatedAlerts", 0},
              {"status", is_firing ? "firing" : "resolved"},
              {"receiver", "photofinish"},
              {"groupLabels", json::object()},
              {"commonLabels", shared},
              {"commonAnnotations", json::object()},
              {"externalURL", context.external_url},
              {"alerts", std::move(list)}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace photofinish::gateway
