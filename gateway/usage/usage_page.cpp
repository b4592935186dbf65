#include "gateway/usage/usage_page.hpp"

#include "proxy/failures/sanitized_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;

std::int64_t unix_time(std::chrono::sys_seconds time) { return time.time_since_epoch().count(); }

double usd(std::uint64_t nano) { return static_cast<double>(nano) / 1e9; }

json name_json(const std::string& name) { return name.empty() ? json() : json(name); }

json row_json(const used_by& by, const used_amounts& amounts) {
  return {{"object", "usage.result"},
          {"client", name_json(by.client)},
          {"team", name_json(by.team)},
          {"model", name_json(by.model)},
          {"project", name_json(by.project)},
          {"num_model_requests", amounts.requests},
          {"input_tokens", amounts.input_tokens},
          {"output_tokens", amounts.output_tokens},
          {"lost_input_tokens", amounts.lost_input_tokens},
          {"lost_output_tokens", amounts.lost_output_tokens},
          {"cost_usd", usd(amounts.nano_usd)},
          {"lost_cost_usd", usd(amounts.lost_nano_usd)}};
}

// Puts a name in quotes. The result contains no control characters. If a spreadsheet would interpret the name as a
// formula, an apostrophe marks it as text.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  if (!name.empty() && std::string_view("=+-@\t\r").find(name[0]) != std::string_view::npos) text += '\'';
  for (const char each : proxy::shown_text(name)) text += each == '"' ? std::string("\"\"") : std::string(1, each);
  return text + '"';
}

std::string decimal(std::uint64_t nano) {
  char text[48];
  std::snprintf(text, sizeof text, "%llu.%09llu", static_cast<unsigned long long>(nano / 1'000'000'000),
                static_cast<unsigned long long>(nano % 1'000'000'000));
  return text;
}

}  // namespace

void add_row(usage_report& into, std::chrono::sys_seconds start, const used_by& by, const used_amounts& amounts) {
  const usage_query& wanted = into.wanted;
  const std::chrono::sys_seconds end = start + wanted.width;
  if (end <= wanted.start || start >= wanted.end) return;
  if (wanted.only_client && by.client != *wanted.only_client) return;
  const auto starts_before = [](const usage_bucket& each, std::chrono::sys_seconds time) { return each.start < time; };
  auto its = std::lower_bound(into.buckets.begin(), into.buckets.end(), start, starts_before);
  if (its == into.buckets.end() || its->start != start) its = into.buckets.insert(its, usage_bucket{start, end, {}});
  used_by group{wanted.by_client ? by.client : "", wanted.by_team ? by.team : "", wanted.by_model ? by.model : "",
                wanted.by_project ? by.project : ""};
  its->rows[std::move(group)].add(amounts);
}

usage_report make_usage_report(const usage_book& book, const usage_query& wanted) {
  const usage_tier& tier = wanted.width == book.hours.width() ? book.hours : book.days;
  usage_report report{wanted, tier.complete_since(), {}};
  for (const auto& [begin, rows] : tier.buckets())
    for (const auto& [by, amounts] : rows) add_row(report, begin, by, amounts);
  return report;
}

std::string members_json(const fleet_scope& scope) {
  json all = json::array();
  for (const fleet_member& each : scope.members)
    all.push_back({{"name", each.name}, {"is_running", each.is_running}, {"is_counted", each.is_counted}});
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string scope_text(const fleet_scope& scope) {
  return scope.gateway.empty() ? "fleet" : "gateway " + proxy::shown_text(scope.gateway);
}

std::string usage_json(const usage_report& report) {
  json buckets = json::array();
  for (const usage_bucket& each : report.buckets) {
    json results = json::array();
    for (const auto& [by, amounts] : each.rows) results.push_back(row_json(by, amounts));
    buckets.push_back({{"object", "bucket"},
                       {"start_time", unix_time(each.start)},
                       {"end_time", unix_time(each.end)},
                       {"results", std::move(results)}});
  }
  const json page{{"object", "page"},
                  {"data", std::move(buckets)},
                  {"has_more", false},
                  {"next_page", nullptr},
                  {"complete_since", unix_time(report.complete_since)},
                  {"gateway", name_json(report.scope.gateway)},
                  {"gateways", json::parse(members_json(report.scope))},
                  {"note", name_json(report.scope.note)}};
  return proxy::escape_controls(page.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string usage_csv(const usage_report& report) {
  std::string text = "start_time,end_time,client,team,model,num_model_requests,input_tokens,output_tokens,"
                     "lost_input_tokens,lost_output_tokens,cost_usd,lost_cost_usd,project\r\n";
  for (const usage_bucket& each : report.buckets)
    for (const auto& [by, amounts] : each.rows) {
      text += std::to_string(unix_time(each.start)) + "," + std::to_string(unix_time(each.end));
      for (const std::string* name : {&by.client, &by.team, &by.model}) text += "," + quoted(*name);
      for (const std::uint64_t count : {amounts.requests, amounts.input_tokens, amounts.output_tokens,
                                        amounts.lost_input_tokens, amounts.lost_output_tokens})
        text += "," + std::to_string(count);
      text += "," + decimal(amounts.nano_usd) + "," + decimal(amounts.lost_nano_usd);
      text += "," + quoted(by.project) + "\r\n";
    }
  return text;
}

}  // namespace photofinish::gateway
