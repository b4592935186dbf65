#include "gateway/commands/doctor/doctor_targets.hpp"

#include "gateway/config/yaml/near_name.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

void add_once(doctor_targets& into, const target_name& target) {
  if (std::find(into.chosen.begin(), into.chosen.end(), target) == into.chosen.end()) into.chosen.push_back(target);
}

void add_route(doctor_targets& into, const route& each) {
  (void)names_target(each, [&into](const target_name& target) {
    add_once(into, target);
    return false;
  });
}

void add_models(doctor_targets& into, const proxy::provider& at) {
  for (const std::string& model : at.models)
    if (model != "*") add_once(into, {at.name, model});
}

bool has_target_at(const doctor_targets& of, const std::string& provider) {
  return std::any_of(of.chosen.begin(), of.chosen.end(),
                     [&provider](const target_name& each) { return each.provider == provider; });
}

doctor_targets all_targets(const config& settings) {
  doctor_targets all;
  for (const auto& [name, each] : settings.routes) add_route(all, each);
  for (const auto& [name, at] : settings.providers) add_models(all, at);
  for (const auto& [name, at] : settings.providers)
    if (!has_target_at(all, name))
      all.notes.push_back("provider '" + name + "' was not tried, because no route and no `models` list names one of "
                                                "its models; try `" +
                          "photofinish doctor " + name + "/MODEL`");
  return all;
}

std::string unknown(const config& settings, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& [name, each] : settings.routes) names.push_back(name);
  for (const auto& [name, at] : settings.providers) names.push_back(name);
  const auto near = nearest(word, names);
  return "'" + word + "' is neither a route, nor a provider, nor provider/model" +
         (near ? "; did you mean '" + *near + "'?" : "");
}

}  // namespace

doctor_targets targets_to_try(const config& settings, const std::vector<std::string>& asked) {
  const doctor_targets all = all_targets(settings);
  if (asked.empty()) return all;
  doctor_targets chosen;
  for (const std::string& word : asked) {
    const std::size_t slash = word.find('/');
    const std::string provider = word.substr(0, slash);
    const auto route = settings.routes.find(word);
    if (route != settings.routes.end()) {
      add_route(chosen, route->second);
    } else if (!settings.providers.contains(provider) || slash + 1 == word.size()) {
      chosen.problem = unknown(settings, slash == std::string::npos ? word : provider);
      return chosen;
    } else if (slash != std::string::npos) {
      add_once(chosen, {provider, word.substr(slash + 1)});
    } else {
      for (const target_name& each : all.chosen)
        if (each.provider == provider) add_once(chosen, each);
      if (!has_target_at(chosen, provider)) {
        chosen.problem = "no route and no `models` list names a model of "
                         "'" + provider + "': give " + provider + "/MODEL";
        return chosen;
      }
    }
  }
  return chosen;
}

}  // namespace photofinish::gateway
