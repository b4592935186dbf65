#include "gateway/config/sections/sections.hpp"
#include "gateway/http/header_names.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

void check_routes(const section_reader& entry, const access_key& key,
                  const std::vector<std::string>& routes) {
  for (std::size_t i = 0; i < key.routes.size(); ++i)
    if (std::find(routes.begin(), routes.end(), key.routes[i]) == routes.end())
      entry.shared().error(entry.find("routes")->items[i].at, "routes: unknown route '" + key.routes[i] +
                                                                  "'" + did_you_mean(key.routes[i], routes));
}

void check_distinct(const section_reader& entry, const access_key& key,
                    const std::vector<access_key>& earlier) {
  for (const access_key& other : earlier) {
    if (!key.name.empty() && other.name == key.name) entry.error("name", "'" + key.name + "' is listed twice");
    if (!key.key.empty() && other.key == key.key)
      entry.error("key", "is the key of '" + other.name + "' as well");
  }
}

access_key read_access_key(const section_reader& entry) {
  access_key key;
  const bool may_be_misspelled = entry.has_unknown();
  if (!entry.find("name") && !may_be_misspelled) entry.shared().error(entry.at(), "name: an access key needs one");
  if (!entry.find("key") && !may_be_misspelled) entry.shared().error(entry.at(), "key: an access key needs one");
  if (entry.read("name", key.name) && key.name.starts_with('_'))
    entry.error("name", "must not begin with '_': the metrics reserve such names");
  const bool has_key = entry.read("key", key.key);
  if (has_key && !is_sendable_key(key.key.reveal()))
    entry.error("key", "contains a space or a control character, which a client cannot send");
  entry.read("routes", key.routes);
  return key;
}

}  // namespace

void read_access_keys(const section_reader& top, config& into) {
  const yaml_node* list = top.find("access_keys");
  if (!list || list->kind == yaml_kind::null) return;
  if (list->kind != yaml_kind::sequence)
    return top.error("access_keys", "must be a list, as in [{name: team, key: ...}], not " + describe(*list));
  const std::vector<std::string> routes = declared_names(top, "routes");
  for (const yaml_node& item : list->items) {
    const section_reader entry(top.shared(), item, section::access_key);
    if (item.kind != yaml_kind::map) continue;
    access_key key = read_access_key(entry);
    if (knows_names(top, "routes")) check_routes(entry, key, routes);
    check_distinct(entry, key, into.access_keys);
    into.access_keys.push_back(std::move(key));
  }
}

}  // namespace photofinish::gateway
