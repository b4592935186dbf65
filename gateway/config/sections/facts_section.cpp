// Reads the facts about a provider's models, such as their context lengths, and the requirements of routes and rules.
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/sections/target_list.hpp"
#include "proxy/providers/known_facts.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

proxy::target_facts read_facts_of(const section_reader& reader) {
  proxy::target_facts into;
  reader.read_members(into);
  if (into.context > 0 && into.max_output > into.context)
    reader.error("max_output", "must not be more than `context`, which counts the prompt and the answer");
  return into;
}

}  // namespace

void read_facts(const section_reader& provider, std::map<std::string, proxy::target_facts, std::less<>>& into) {
  const yaml_node* map = provider.find_sections("facts", yaml_kind::map, "a map, as in {'*': {quantization: fp8}}");
  if (!map) return;
  for (const yaml_member& entry : map->members) {
    const section_reader reader(provider.shared(), entry.value, section::facts);
    if (entry.value.kind == yaml_kind::map) into.emplace(entry.key, read_facts_of(reader));
  }
}

void find_facts(const config& settings) {
  for (const auto& [name, route] : settings.routes)
    (void)names_target(route, [&](const target_name& target) {
      const auto provider = settings.providers.find(target.provider);
      if (provider != settings.providers.end()) (void)proxy::known_facts(provider->second, target.sent_model());
      return false;
    });
}

void read_require(const section_reader& parent, proxy::required_facts& into) {
  const yaml_node* node = parent.find("require");
  if (!node) return;
  section_reader(parent.shared(), *node, section::require).read_members(into);
}

void check_required(const section_reader& reader, const std::string& what, const std::vector<target_name>& targets,
                    const proxy::required_facts& required, const config& settings) {
  if (required.is_empty() || targets.empty()) return;
  std::vector<std::string> left_out;
  for (const target_name& target : targets) {
    const auto provider = settings.providers.find(target.provider);
    if (provider == settings.providers.end()) return;  // the unknown provider was already reported
    const proxy::target_facts known = proxy::known_facts(provider->second, target.sent_model());
    const std::string_view unmet = proxy::unmet_fact(required, known);
    if (!unmet.empty()) left_out.push_back(target.text() + " is never used in " + what + ": " +
                                           proxy::why_unmet(unmet, required, known));
  }
  const text_position at = reader.find("require") ? reader.at("require") : reader.at();
  for (const std::string& each : left_out) reader.shared().warn(at, "require: " + each);
  if (left_out.size() == targets.size())
    reader.shared().error(at, "require: no target of " + what +
                                  " has the required facts. If facts are only unknown, add them to `facts` of the "
                                  "providers, or set `unknown: allow`");
}

}  // namespace photofinish::gateway
