#include "gateway/config/sections/sections.hpp"
#include "gateway/config/sections/target_list.hpp"
#include "gateway/config/target_text.hpp"
#include "proxy/words/contains.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

// Reads a setting whose value must be a name from the top-level list `list` of the file.
void read_known(const section_reader& reader, std::string_view name, const char* list,
                const std::vector<std::string>& known, std::string& into) {
  std::string text;
  if (!reader.read(name, text)) return;
  if (!proxy::contains(known, text))
    return reader.error(name, "'" + text + "' is not in the list `" + list + "` at the top of the file" +
                                  did_you_mean(text, known) + "; add the name to this list");
  into = std::move(text);
}

bool has_condition(const route_rule& rule) {
  return !rule.task.empty() || !rule.project.empty() || rule.work || rule.min_input_tokens || rule.max_input_tokens ||
         rule.tools || rule.response_format || rule.max_tokens || rule.is_apply;
}

void read_conditions(const section_reader& reader, const config& settings, route_rule& into) {
  read_known(reader, "task", "tasks", settings.names.tasks, into.task);
  read_known(reader, "project", "projects", settings.names.projects, into.project);
  if (reader.choice("shape")) into.is_apply = true;
  if (into.min_input_tokens && into.max_input_tokens && *into.min_input_tokens > *into.max_input_tokens)
    reader.error("min_input_tokens", "is more than `max_input_tokens`, so the rule never applies");
}

void check_name(const section_reader& reader, std::set<std::string>& names, const std::string& name) {
  if (!reader.find("name") && !reader.has_unknown()) return reader.shared().error(reader.at(), "a rule needs a name");
  if (name.empty()) return;  // the missing name was already reported
  if (!is_printable(name) || name.find_first_of("/,") != std::string::npos)
    return reader.error("name", "must not contain '/', ',', a space or a control character");
  if (!names.insert(name).second) reader.error("name", "'" + name + "' is also the name of another rule of this route");
}

route_rule read_rule(const section_reader& reader, const declared_providers& providers, const config& settings,
                     const route& of) {
  route_rule into;
  into.race = of.race;
  reader.read("name", into.name);
  const std::size_t errors = reader.shared().errors;
  reader.read_members(into);
  read_conditions(reader, settings, into);
  read_targets(reader, providers, settings, into.targets);
  into.require = of.require;
  read_require(reader, into.require);
  if (!into.targets.empty() || into.require != of.require)
    check_required(reader, "rule '" + into.name + "'", into.targets.empty() ? of.targets : into.targets, into.require,
                   settings);
  read_race(reader, into.race);
  const std::size_t targets = into.targets.empty() ? of.targets.size() : into.targets.size();
  if (!into.race.policy && targets > 1 && reader.shared().errors == errors && !reader.has_unknown())
    reader.shared().error(reader.at(), "rule '" + into.name + "' has several targets, so its race needs a policy "
                                       "(adaptive, hedge, all or fallback), here, in the route or in the default race");
  if (!into.race.policy) into.race.policy = racing::race_policy::fallback;
  return into;
}

}  // namespace

void read_rules(const section_reader& reader, const declared_providers& providers, const config& settings,
                route& into) {
  const yaml_node* list = reader.find_sections(
      "rules", yaml_kind::sequence, "a list, as in [{name: night, class: batch, race: {policy: fallback}}]");
  if (!list) return;
  std::set<std::string> names;
  bool is_reached = true;
  for (const yaml_node& item : list->items) {
    const section_reader each(reader.shared(), item, section::rule);
    if (item.kind != yaml_kind::map) continue;
    route_rule rule = read_rule(each, providers, settings, into);
    check_name(each, names, rule.name);
    if (!is_reached)
      reader.shared().warn(item.at, "rule '" + rule.name + "' is never reached: an earlier rule always applies");
    is_reached = is_reached && (has_condition(rule) || each.has_unknown());
    into.rules.push_back(std::move(rule));
  }
}

}  // namespace photofinish::gateway
