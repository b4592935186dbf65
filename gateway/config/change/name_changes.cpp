#include "gateway/config/change/name_changes.hpp"

#include <algorithm>
#include <iterator>

namespace photofinish::gateway {
namespace {

using name_list = std::vector<std::string>;

constexpr std::size_t names_shown = 3;

template <class Map>
name_list sorted_names(const Map& map) {
  name_list all;
  all.reserve(map.size());
  for (const auto& [name, value] : map) all.push_back(name);
  return all;
}

name_list sorted_names(const access_key_list& keys) {
  name_list all;
  all.reserve(keys.size());
  for (const access_key& each : keys) all.push_back(each.name);
  std::sort(all.begin(), all.end());
  return all;
}

template <class Named>
name_changes changes_of(std::string_view kind, const Named& before, const Named& after) {
  const name_list was = sorted_names(before), is = sorted_names(after);
  name_changes changes{.kind = kind, .before = was.size(), .now = is.size(), .came = {}, .went = {}};
  std::set_difference(is.begin(), is.end(), was.begin(), was.end(), std::back_inserter(changes.came));
  std::set_difference(was.begin(), was.end(), is.begin(), is.end(), std::back_inserter(changes.went));
  return changes;
}

std::string change_text(const name_changes& change) {
  std::string text;
  if (!change.came.empty()) text = std::to_string(change.came.size()) + " came: " + first_names(change.came);
  if (!change.went.empty())
    text += (text.empty() ? "" : "; ") + std::to_string(change.went.size()) + " went: " + first_names(change.went);
  return count_of_kind(change.now, change.kind) + (text.empty() ? "" : " (" + text + ")");
}

}  // namespace

config_changes changes_between(const config& before, const config& after) {
  return {.providers = changes_of("provider", before.providers, after.providers),
          .routes = changes_of("route", before.routes, after.routes),
          .access_keys = changes_of("access key", before.access.keys, after.access.keys),
          .teams = changes_of("team", before.access.teams, after.access.teams)};
}

std::string count_of_kind(std::size_t count, std::string_view kind) {
  return std::to_string(count) + " " + std::string(kind) + (count == 1 ? "" : "s");
}

std::string first_names(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), names_shown); ++i)
    text += (i > 0 ? ", '" : "'") + all[i] + "'";
  return all.size() > names_shown ? text + " and " + std::to_string(all.size() - names_shown) + " more" : text;
}

std::string counts_text(const config& settings) {
  return count_of_kind(settings.providers.size(), "provider") + ", " +
         count_of_kind(settings.routes.size(), "route") + ", " +
         count_of_kind(settings.access.keys.size(), "access key") + ", " +
         count_of_kind(settings.access.teams.size(), "team");
}

std::string changes_text(const config_changes& changes) {
  return change_text(changes.providers) + ", " + change_text(changes.routes) + ", " +
         change_text(changes.access_keys) + ", " + change_text(changes.teams);
}

}  // namespace photofinish::gateway
