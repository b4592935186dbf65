// Prints the answer of GET /v1/usage as a table for people.
#include "gateway/commands/gateway_page.hpp"
#include "gateway/commands/keys/keys.hpp"
#include "gateway/commands/text_table.hpp"
#include "gateway/log/time_text.hpp"
#include "proxy/words/decimal_text.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

// Returns a day such as "2026-11-23", or an hour such as "2026-11-23 14:00".
std::string time_text(std::int64_t unix_time, bool has_hour) {
  const std::chrono::sys_seconds time{std::chrono::seconds(unix_time)};
  const std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(time);
  if (!has_hour) return day_text(day);
  char text[40];
  std::snprintf(text, sizeof text, " %02d:00", static_cast<int>((time - day) / std::chrono::hours(1)));
  return day_text(day) + text;
}

std::string name_text(const json& name) { return name.is_string() ? name.get<std::string>() : "-"; }

std::string count_text(const json& row, const char* name) { return std::to_string(row.at(name).get<std::uint64_t>()); }

std::string usd_text(const json& usd) { return proxy::fixed_text(usd.get<double>(), 4); }

// Prints which gateways the figures cover. If the answer has no list of gateways, it was sent by an older gateway, and
// nothing is printed.
void print_scope(const json& page, std::ostream& out) {
  if (!page.contains("gateways")) return;
  std::string counted, missing;
  for (const json& each : page.at("gateways")) {
    std::string& names = each.at("is_counted").get<bool>() ? counted : missing;
    names += (names.empty() ? "" : ", ") + name_text(each.at("name"));
  }
  if (page.at("gateway").is_string()) out << "of this gateway: " << name_text(page.at("gateway")) << "\n";
  else out << "of all gateways: " << counted << (missing.empty() ? "" : "; missing: " + missing) << "\n";
  if (page.at("note").is_string()) out << "note: " << name_text(page.at("note")) << "\n";
}

int print_page(const json& page, std::ostream& out) {
  std::vector<std::vector<std::string>> table{{"FROM (UTC)", "CLIENT", "TEAM", "MODEL", "PROJECT", "REQUESTS",
                                               "INPUT TOKENS", "OUTPUT TOKENS", "USD", "USD of losing attempts"}};
  for (const json& bucket : page.at("data")) {
    const auto start = bucket.at("start_time").get<std::int64_t>(), end = bucket.at("end_time").get<std::int64_t>();
    for (const json& row : bucket.at("results"))
      table.push_back({time_text(start, end - start < 86'400), name_text(row.at("client")), name_text(row.at("team")),
                       name_text(row.at("model")), name_text(row.at("project")),
                       count_text(row, "num_model_requests"), count_text(row, "input_tokens"),
                       count_text(row, "output_tokens"), usd_text(row.at("cost_usd")),
                       usd_text(row.at("lost_cost_usd"))});
  }
  if (table.size() == 1) out << "no usage in this time\n";
  else print_table(table, out);
  print_scope(page, out);
  out << "complete since " << time_text(page.at("complete_since").get<std::int64_t>(), true) << "\n";
  return 0;
}

}  // namespace

int print_usage(std::string_view page, std::ostream& out, std::ostream& err) {
  return print_parsed(page, "the usage report of a photofinish gateway", print_page, out, err);
}

}  // namespace photofinish::gateway
