#include "gateway/housekeeping/alert_message.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;
using label_set = std::map<std::string, std::string>;

constexpr const char* never = "0001-01-01T00:00:00Z";  // how Go writes that there is no such time yet

// 2026-01-31T12:00:00.250Z
std::string rfc3339(racing::wall_time when) {
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(when - day);
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
  return text;
}

label_set labels_of(const racing::regression_alert& alert, const alert_context& context) {
  label_set labels = context.labels;
  const std::size_t slash = std::min(alert.target.find('/'), alert.target.size());
  labels["alertname"] =
      alert.kind == racing::regression::speed ? "PhotofinishThroughputRegression" : "PhotofinishTtftRegression";
  labels["provider"] = alert.target.substr(0, slash);
  labels["model"] = alert.target.substr(std::min(slash + 1, alert.target.size()));
  labels.try_emplace("severity", "ticket");
  return labels;
}

// What tells one alert from another: equal labels, equal fingerprint (FNV-1a over them, as Prometheus has it).
std::string fingerprint(const label_set& labels) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](std::string_view bytes) {
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    hash = (hash ^ 0xFF) * 0x100000001b3;
  };
  for (const auto& [name, value] : labels) mix(name), mix(value);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string number(double value, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %s", value, unit);
  return text;
}

json annotations_of(const racing::regression_alert& alert) {
  const bool is_speed = alert.kind == racing::regression::speed;
  const char* unit = is_speed ? "tok/s" : "s";
  const std::string recent = number(alert.recent, unit), baseline = number(alert.baseline, unit);
  const std::string what = is_speed ? "output speed" : "time to first token";
  return {{"summary", alert.target + ": median " + what + " " + recent + ", usually " + baseline},
          {"description", "The median " + what + " of " + alert.target + " over the last minutes is " + recent +
                              "; over the whole window of statistics it is " + baseline + "."}};
}

json alert_json(const racing::regression_alert& alert, const label_set& labels, const alert_context& context) {
  return {{"status", alert.ends_at ? "resolved" : "firing"},
          {"labels", labels},
          {"annotations", annotations_of(alert)},
          {"startsAt", rfc3339(alert.starts_at)},
          {"endsAt", alert.ends_at ? rfc3339(*alert.ends_at) : never},
          {"generatorURL", context.external_url + "/v1/providers/stats"},
          {"fingerprint", fingerprint(labels)}};
}

label_set common(const label_set& one, const label_set& other) {
  label_set shared;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::inserter(shared, shared.end()));
  return shared;
}

}  // namespace

std::string alert_message(const std::vector<racing::regression_alert>& alerts, const alert_context& context) {
  json list = json::array();
  bool is_firing = false;
  label_set shared;
  for (const racing::regression_alert& alert : alerts) {
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
