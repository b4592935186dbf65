#include "gateway/config/settings.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

std::vector<setting> all_settings() {
  std::vector<setting> all;
  // access_rows() must be last, because it adds rows to the section of routes after the rows of route_rows().
  for (const auto& tables : {server_rows(), provider_rows(), route_rows(), access_rows()})
    for (const section_rows& table : tables)
      for (setting row : table.rows) {
        row.where = table.where;
        all.push_back(row);
      }
  std::stable_sort(all.begin(), all.end(),
                   [](const setting& one, const setting& other) { return one.where < other.where; });
  return all;
}

}  // namespace

std::span<const setting> settings() {
  static const std::vector<setting> all = all_settings();
  return all;
}

std::vector<std::string> setting_names(section where) {
  std::vector<std::string> names;
  for (const setting& each : settings(where)) names.emplace_back(each.name);
  return names;
}

const setting* find_setting(section where, std::string_view name) {
  const auto rows = settings(where);
  const auto found = std::find_if(rows.begin(), rows.end(), [name](const setting& each) { return each.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::span<const setting> settings(section where) {
  const auto is_of_it = [where](const setting& each) { return each.where == where; };
  const auto begin = std::find_if(settings().begin(), settings().end(), is_of_it);
  return {begin, std::find_if_not(begin, settings().end(), is_of_it)};
}

std::string default_text(const setting& row) {
  if (!row.fallback.empty() || row.member.fallback == nullptr) return std::string(row.fallback);
  return row.member.fallback(row);
}

}  // namespace photofinish::gateway
