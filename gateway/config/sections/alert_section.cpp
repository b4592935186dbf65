#include "gateway/config/sections/sections.hpp"
#include "gateway/config/webhook_url.hpp"

#include <algorithm>
#include <cctype>

namespace photofinish::gateway {
namespace {

// True for a label name that Prometheus accepts, except the names of labels that every alert has.
bool is_label_name(std::string_view name) {
  const auto is_fine = [](unsigned char letter) { return std::isalnum(letter) || letter == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && !name.starts_with("__") &&
         std::all_of(name.begin(), name.end(), is_fine);
}

void check_labels(const section_reader& alerts, const alert_settings& settings) {
  for (const auto& [name, value] : settings.labels) {
    if (!is_label_name(name))
      alerts.error("labels", "'" + name + "' is not a valid label name: use letters, digits and _");
    if (name == "alertname" || name == "provider" || name == "model")
      alerts.error("labels", "'" + name + "' is a label that every alert already has");
  }
}

}  // namespace

void read_alerts(const section_reader& top, alert_settings& into) {
  const yaml_node* node = top.find("alerts");
  if (!node) return;
  const section_reader alerts(top.shared(), *node, section::alerts);
  alerts.read_members(into);
  if (alerts.has_read("webhook"))
    if (const auto parsed = parse_webhook_url(into.webhook.reveal()); !parsed.url)
      alerts.error("webhook", parsed.problem);
  check_labels(alerts, into);
}

}  // namespace photofinish::gateway
