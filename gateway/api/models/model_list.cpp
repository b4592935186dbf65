#include "gateway/api/models/model_list.hpp"

#include "gateway/api/model_name.hpp"
#include "gateway/config/target_text.hpp"
#include "proxy/providers/known_facts.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::string_view own_routes = "photofinish";

std::uint64_t context_of(const config& settings, const target_name& target) {
  const auto provider = settings.providers.find(target.provider);
  return provider == settings.providers.end() ? 0 : proxy::known_facts(provider->second, target.sent_model()).context;
}

// Describes a route for the list of models. Any target of the route may answer, so the list shows the smallest context
// of all targets.
listed_model listed_route(const config& settings, const std::string& id, const route& of) {
  listed_model model{id, std::string(own_routes)};
  for (const target_name& target : of.targets) {
    const std::uint64_t context = context_of(settings, target);
    if (context == 0) return {id, model.owner};
    model.context = model.context == 0 ? context : std::min(model.context, context);
  }
  return model;
}

}  // namespace

std::vector<listed_model> models_of(const config& settings, const caller& who) {
  std::vector<listed_model> models;
  std::map<std::string, target_name> targets;
  for (const auto& [name, route] : settings.routes) {
    if (!may_use_route(who, name)) continue;
    models.push_back(listed_route(settings, name, route));
    if (!may_use_targets_directly(who)) continue;
    for (const target_name& target : route.targets) targets.emplace(target.text(), target);
  }
  for (const auto& [alias, route] : settings.names.aliases.names())
    if (const auto found = settings.routes.find(route); found != settings.routes.end() && may_use_route(who, route))
      models.push_back(listed_route(settings, alias, found->second));
  if (may_use_targets_directly(who))
    for (const auto& [name, provider] : settings.providers)
      for (const std::string& model : provider.models)
        if (model != "*") targets.emplace(name + "/" + model, target_at(provider, name, model));
  for (const auto& [id, target] : targets) models.push_back({id, target.provider, context_of(settings, target)});
  return models;
}

std::variant<listed_model, api_error> find_model(const config& settings, const caller& who, std::string_view id) {
  for (listed_model& each : models_of(settings, who))
    if (each.id == id) return std::move(each);
  auto resolved = resolve_model(settings, id, who);
  if (const auto* named = std::get_if<runnable>(&resolved); named && named->from != nullptr)
    return listed_route(settings, std::string(id), *named->from);
  constexpr int not_opened = 403;
  if (auto* error = std::get_if<api_error>(&resolved); error && error->status != not_opened) return *error;
  return api_error{.status = 404, .message = in_quotes(id) + " is not in this gateway's list of models",
                   .param = "model", .code = "model_not_found"};
}

}  // namespace photofinish::gateway
