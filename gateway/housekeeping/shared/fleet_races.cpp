#include "gateway/housekeeping/shared/fleet_races.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace photofinish::gateway {
namespace {

using races_json = nlohmann::ordered_json;

struct listed_race {
  std::int64_t begun_ms = 0;
  races_json row;
};

void add_page(std::vector<listed_race>& into, const std::string& page, const std::string& gateway) {
  races_json from = races_json::parse(page, nullptr, false);
  if (!from.is_object() || !from.contains("data") || !from["data"].is_array()) return;
  for (races_json& row : from["data"]) {
    if (!row.is_object() || !row.contains("id") || !row["id"].is_string()) continue;
    const races_json begun = row.value("begun_ms", races_json());
    row["gateway"] = gateway;
    into.push_back({begun.is_number_integer() ? begun.get<std::int64_t>() : 0, std::move(row)});
  }
}

}  // namespace

std::string fleet_races_page(const fleet_races& races) {
  std::vector<listed_race> all;
  add_page(all, races_page(races.own), races.gateway);
  for (const auto& [name, page] : races.others.pages) add_page(all, page, name);
  const auto is_newer = [](const listed_race& one, const listed_race& other) { return one.begun_ms > other.begun_ms; };
  std::stable_sort(all.begin(), all.end(), is_newer);
  if (all.size() > races.count) all.resize(races.count);
  const fleet_scope& scope = races.others.scope;
  races_json members = races_json::array(), rows = races_json::array();
  for (const fleet_member& each : scope.members)
    members.push_back({{"name", each.name}, {"is_running", each.is_running}, {"is_counted", each.is_counted}});
  for (listed_race& each : all) rows.push_back(std::move(each.row));
  const races_json page{{"object", "list"},
                        {"gateway", scope.gateway.empty() ? races_json() : races_json(scope.gateway)},
                        {"gateways", std::move(members)},
                        {"note", scope.note.empty() ? races_json() : races_json(scope.note)},
                        {"data", std::move(rows)}};
  return page.dump(-1, ' ', false, races_json::error_handler_t::replace);
}

}  // namespace photofinish::gateway
