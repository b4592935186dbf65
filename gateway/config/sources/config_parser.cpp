#include "gateway/config/sources/config_parser.hpp"

#include "gateway/config/change/settings_hash.hpp"
#include "gateway/config/config_checks.hpp"
#include "gateway/config/config_reader.hpp"
#include "gateway/config/sources/instance.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/yaml/yaml_tree.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace photofinish::gateway {
namespace {

const yaml_node* member_of(const yaml_node* map, std::string_view name) {
  if (map == nullptr) return nullptr;
  const auto is_it = [name](const yaml_member& each) { return each.key == name; };
  const auto found = std::find_if(map->members.begin(), map->members.end(), is_it);
  return found == map->members.end() ? nullptr : &found->value;
}

// Reads the gateway's name, which is stored only as an attribute of traces. The file has priority over
// OTEL_RESOURCE_ATTRIBUTES.
void read_instance(const section_reader& top, tracing_settings& into) {
  std::string name;
  if (!top.read("instance", name)) return;
  if (!is_instance_name(name)) return top.error("instance", "must be a word of 1 to 64 characters");
  const auto [place, is_new] = into.resource.emplace(instance_attribute, name);
  if (is_new || place->second == name) return;
  const bool is_in_file = member_of(member_of(top.find("tracing"), "resource"), instance_attribute) != nullptr;
  if (is_in_file) top.error("instance", "differs from service.instance.id in tracing.resource: set only one of them");
  else place->second = name;
}

void read_all(const section_reader& top, config& into) {
  read_budget_zone(top, into.access.budget_timezone);
  read_server(top, into);
  read_ingress(top, into.server.ingress);
  read_limits(top, into);
  read_alerts(top, into.alerts);
  read_audit_log(top, into);
  read_store(top, into.store);
  read_tracing(top, into.tracing);
  read_instance(top, into.tracing);
  if (!into.region.empty()) into.tracing.resource.emplace("cloud.region", into.region);
  read_probes(top, into.probes);
  read_catalogue(top, into.catalogue);
  top.shared().models = into.catalogue.from_file;
  read_providers(top, into);
  const std::size_t errors = top.shared().errors;
  read_race(top, into.race);
  top.shared().is_race_doubtful = top.shared().errors > errors;
  read_routes(top, into);
  read_guardrails(top, into);
  read_content_log(top, into.log.content);
  read_teams(top, into);
  read_access_keys(top, into);
  read_sealed_keys(top, into.access.sealed_keys);
  read_jwt(top, into);
}

void override_listen(const std::vector<listen_address>& listen_instead, config& into) {
  if (listen_instead.empty()) return;
  into.server.listen = listen_instead;
  into.server.is_listen_default = false;
}

// Sorts the problems by position and removes duplicates. A problem occurs twice if a YAML alias repeats the part of the
// file with the problem.
void sort_and_merge(std::vector<config_problem>& problems) {
  const auto place = [](const config_problem& each) {
    return std::tie(each.file, each.line, each.column, each.message);
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  problems.erase(std::unique(problems.begin(), problems.end()), problems.end());
}

// Returns a text that identifies the list of models. The text is a part of the hash that gateways compare. It is empty
// for the built-in list, so that gateways of different versions can have the same hash.
std::string list_form(const catalogue_settings& from) {
  return from.from_file ? "catalogue " + from.from_file->id() : std::string();
}

// True if callers may need keys that could not be read, because the file or the variable with the keys is missing.
bool misses_keys(const section_reader& top) {
  if (!top.shared().missing || top.shared().missing->empty()) return false;
  const auto is_there = [&](const char* name) { return top.find(name) != nullptr; };
  return is_there("access_keys") || is_there("sealed_keys") || is_there("jwt") || is_there("redis");
}

}  // namespace

config_result parse_config(std::string_view yaml, std::string file_name, const environment& machine,
                           const std::vector<listen_address>& listen_instead, std::set<std::string>* missing) {
  config_result result;
  yaml_result tree = parse_yaml(yaml);
  reading shared{.file = std::move(file_name), .machine = machine, .problems = {}, .watched_files = {}};
  shared.missing = missing;
  for (yaml_problem& problem : tree.problems) shared.error(problem.at, std::move(problem.message));

  const bool is_empty = tree.root.kind == yaml_kind::null && tree.problems.empty();
  if (is_empty)
    shared.error({1, 1}, "the file is empty, but `providers` are needed (docs/configuration.md begins with a small "
                         "example)");

  const section_reader top(shared, tree.root, section::top);
  read_all(top, result.settings);
  take_host_name(machine, result.settings.tracing);
  if (declared_names(top, "providers").empty() && !has_errors(shared.problems))
    shared.warn(top.at("providers"), "no providers are configured, so no request can be answered");
  override_listen(listen_instead, result.settings);
  const bool are_misspelled = top.has_unknown() && !top.find("access_keys");
  const bool may_have_keys = are_misspelled || misses_keys(top);
  if (const auto exposed = exposure_problem(result.settings); exposed && !may_have_keys)
    shared.error(top.at("listen"), *exposed);
  if (const auto guessable = short_keys_warning(result.settings)) top.warn("access_keys", *guessable);
  if (const auto open = open_metrics_warning(result.settings)) top.warn("open_metrics", *open);
  if (!has_errors(shared.problems)) check_use(top, result.settings);
  if (!has_errors(shared.problems)) find_facts(result.settings);

  const yaml_node* keys = top.find("access_keys");
  const bool misses_key_file = keys && file_reference(keys->text) && shared.key_file_form.empty();
  if (!misses_key_file)
    result.hash = settings_hash(comparable_text(tree.root, section::top) + shared.key_file_form +
                                list_form(result.settings.catalogue));
  result.settings.source.watched_files = std::move(shared.watched_files);
  result.problems = std::move(shared.problems);
  sort_and_merge(result.problems);
  return result;
}

}  // namespace photofinish::gateway
