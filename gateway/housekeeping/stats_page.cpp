#include "gateway/housekeeping/stats_page.hpp"

#include "gateway/store/fleet_queries.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;

// Rounds to four significant digits. More digits are not useful, because the sketches have an error of 1 %.
double rounded(double value) {
  if (value <= 0) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

json ttft_json(const racing::ttft_figures& ttft) {
  json made{{"count", ttft.seen}, {"censored", ttft.censored}};
  if (ttft.seen + ttft.censored == 0) return made;
  json at_least = json::array();
  const std::pair<const char*, const racing::survival_quantile*> quantiles[] = {
      {"p50", &ttft.p50}, {"p95", &ttft.p95}, {"p99", &ttft.p99}};
  for (const auto& [name, quantile] : quantiles) {
    made[name] = rounded(quantile->seconds);
    if (quantile->is == racing::bound::at_least) at_least.push_back(name);
  }
  made["at_least"] = std::move(at_least);
  return made;
}

json speed_json(const racing::speed_figures& speed) {
  json made{{"count", speed.count}};
  if (speed.count == 0) return made;
  made["p50"] = rounded(speed.p50);
  made["p95"] = rounded(speed.p95);
  made["p99"] = rounded(speed.p99);
  return made;
}

void put_figures(json& into, const racing::target_figures& figures) {
  into["ttft_seconds"] = ttft_json(figures.ttft);
  into["tokens_per_second"] = speed_json(figures.speed);
}

json classes_json(const std::vector<racing::class_figures>& classes) {
  json all = json::array();
  for (const racing::class_figures& each : classes) {
    json entry{{"from", each.range.from}, {"below", nullptr}};
    if (each.range.to) entry["below"] = *each.range.to;
    put_figures(entry, each.figures);
    all.push_back(std::move(entry));
  }
  return all;
}

json target_json(const racing::target_report& target) {
  const std::size_t slash = target.target.find('/');
  json entry{{"target", target.target},
             {"provider", target.target.substr(0, slash)},
             {"model", target.target.substr(std::min(slash, target.target.size() - 1) + 1)}};
  put_figures(entry, target.all);
  entry["by_input_tokens"] = classes_json(target.by_input);
  entry["by_concurrency"] = classes_json(target.by_concurrency);
  return entry;
}

std::int64_t whole_seconds(auto duration) { return std::chrono::floor<std::chrono::seconds>(duration).count(); }

json report_json(const racing::stats_report& report) {
  json targets = json::array();
  for (const racing::target_report& each : report.targets) targets.push_back(target_json(each));
  return {{"as_of", whole_seconds(report.as_of.time_since_epoch())},
          {"window_seconds", whole_seconds(report.window)},
          {"targets", std::move(targets)}};
}

std::set<std::string> targets_open_to(const config& settings, const caller& who) {
  std::set<std::string> open;
  for (const auto& [name, route] : settings.routes)
    if (may_use_route(who, name))
      (void)names_target(route, [&open](const target_name& target) {
        open.insert(target.text());
        return false;
      });
  return open;
}

}  // namespace

std::string stats_answer(const racing::stats_report& report) {
  constexpr std::size_t longest = fleet_query_commands::longest_answer;
  json page = report_json(report);
  std::string answer = page.dump(-1, ' ', false, json::error_handler_t::replace);
  if (answer.size() <= longest) return answer;
  for (json& each : page["targets"]) each["by_input_tokens"] = each["by_concurrency"] = json::array();
  return page.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string stats_note(const fleet_scope& scope) {
  if (!scope.gateway.empty() && scope.note.empty()) return {};
  if (scope.note.empty())
    return "figures of all gateways that share the store; quantiles are estimates from merged histograms";
  if (!scope.alone_since) return scope.note;
  return scope.note + " since " + std::to_string(scope.alone_since->time_since_epoch().count()) +
         " (seconds since 1970): figures of other gateways are included only up to that time";
}

std::string stats_page(const fleet_stats& stats, const config& settings, const caller& who) {
  const fleet_scope& scope = stats.scope;
  const json from = stats.report ? report_json(*stats.report) : json::parse(stats.answer, nullptr, false);
  if (!from.is_object() || !from.contains("targets") || !from["targets"].is_array()) return {};
  const bool sees_all = may_use_targets_directly(who);
  const std::set<std::string> open = sees_all ? std::set<std::string>{} : targets_open_to(settings, who);
  json targets = json::array(), members = json::array();
  for (const json& each : from["targets"]) {
    const json name = each.is_object() ? each.value("target", json()) : json();
    if (name.is_string() && (sees_all || open.contains(name.get<std::string>()))) targets.push_back(each);
  }
  for (const fleet_member& each : scope.members)
    members.push_back({{"name", each.name}, {"is_running", each.is_running}, {"is_counted", each.is_counted}});
  const std::string note = stats_note(scope);
  json page{{"object", "provider.stats"},
            {"as_of", from.value("as_of", json())},
            {"window_seconds", from.value("window_seconds", json())},
            {"gateway", scope.gateway.empty() ? json() : json(scope.gateway)},
            {"gateways", std::move(members)},
            {"note", note.empty() ? json() : json(note)}};
  page["alone_since"] = scope.alone_since ? json(scope.alone_since->time_since_epoch().count()) : json();
  page["targets"] = std::move(targets);
  return page.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace photofinish::gateway
