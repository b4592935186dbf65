#include "gateway/config/sources/zero_config.hpp"

#include "gateway/config/forward_proxy_choice.hpp"
#include "gateway/config/sections/otel_variables.hpp"
#include "gateway/config/sources/instance.hpp"
#include "gateway/config/target_text.hpp"
#include "gateway/http/header_names.hpp"
#include "proxy/providers/presets.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

void warn(config_result& result, std::string message) {
  result.problems.push_back({"environment", 0, 0, std::move(message), severity::warning});
}

std::optional<proxy::base_url> url_of(const proxy::preset& known, const environment& machine,
                                      config_result& result) {
  const auto endpoint = known.endpoint_variable.empty() ? std::nullopt : machine.variable(known.endpoint_variable);
  if (endpoint) {
    proxy::base_url_result read = proxy::endpoint_url(known, *endpoint);
    if (!read.url) warn(result, known.defaults.name + " is not used: " + read.problem);
    return read.url;
  }
  std::map<std::string, std::string> params;
  for (const auto& [placeholder, variable] : known.needs) {
    const auto value = machine.variable(variable);
    if (!value) return warn(result, known.defaults.name + " is not used: " + variable + " is not set"), std::nullopt;
    params.emplace(placeholder, *value);
  }
  proxy::base_url_result filled = proxy::fill_base_url(known, params);
  if (!filled.url) warn(result, known.defaults.name + " is not used: " + filled.problem);
  return filled.url;
}

void add_provider(const proxy::preset& known, const environment& machine, config_result& result) {
  for (const std::string& variable : known.key_variables) {
    const auto key = machine.variable(variable);
    if (!key) continue;
    if (!is_sendable_key(*key))
      return warn(result, known.defaults.name + " is not used: " + variable +
                              " contains a space or a control character");
    const auto url = url_of(known, machine, result);
    if (!url) return;
    proxy::provider made = known.defaults;
    made.url = *url;
    made.key.variable = variable;
    made.key.value = proxy::secret(*key);
    made.models = {"*"};
    made.listed = proxy::listed_models(nullptr);
    made.listed.provider = proxy::list_of(made);
    forward_proxy_result proxied = forward_proxy_for(made.url, "", machine);
    if (!proxied.warning.empty()) warn(result, "provider '" + made.name + "' " + proxied.warning);
    made.via = std::move(proxied.via);
    result.settings.providers.emplace(made.name, std::move(made));
    return;
  }
}

route route_of(const proxy::race_group& group, const config& settings) {
  route made{.name = group.name, .targets = {}, .race = settings.race};
  for (const std::string& text : group.targets) {
    const auto target = parse_target(text);
    const auto provider = target ? settings.providers.find(target->provider) : settings.providers.end();
    if (provider != settings.providers.end())
      made.targets.push_back(target_at(provider->second, target->provider, target->model));
  }
  return made;
}

}  // namespace

config_result zero_config(const environment& machine) {
  config_result result;
  config& made = result.settings;
  made.source.is_zero_config = true;
  made.race.policy = racing::race_policy::adaptive;
  for (std::string& each : take_otel_variables(machine, made.tracing)) warn(result, std::move(each));
  take_host_name(machine, made.tracing);
  for (const auto& [name, known] : proxy::presets()) add_provider(known, machine, result);
  for (const proxy::race_group& group : proxy::race_groups()) {
    route ready = route_of(group, made);
    if (ready.targets.empty()) continue;
    made.route_order.push_back(group.name);
    made.routes.emplace(group.name, std::move(ready));
  }
  return result;
}

}  // namespace photofinish::gateway
