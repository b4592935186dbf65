#include "gateway/api/models/model_list.hpp"

#include "gateway/api/api_error.hpp"
#include "gateway/api/model_name.hpp"

#include <map>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::string_view own_routes = "photofinish";

}  // namespace

std::vector<listed_model> models_of(const config& settings, const caller& who) {
  std::vector<listed_model> models;
  std::map<std::string, std::string> targets;
  for (const auto& [name, route] : settings.routes) {
    if (!may_use_route(who, name)) continue;
    models.push_back({name, std::string(own_routes)});
    if (!may_use_targets_directly(who)) continue;
    for (const target_name& target : route.targets) targets.emplace(target.text(), target.provider);
  }
  for (const auto& [alias, route] : settings.aliases.names())
    if (may_use_route(who, route)) models.push_back({alias, std::string(own_routes)});
  if (may_use_targets_directly(who))
    for (const auto& [name, provider] : settings.providers)
      for (const std::string& model : provider.models)
        if (model != "*") targets.emplace(name + "/" + model, name);
  for (const auto& [id, owner] : targets) models.push_back({id, owner});
  return models;
}

std::variant<listed_model, api_error> find_model(const config& settings, const caller& who, std::string_view id) {
  for (listed_model& each : models_of(settings, who))
    if (each.id == id) return std::move(each);
  auto resolved = resolve_model(settings, id, who);
  if (const auto* named = std::get_if<runnable>(&resolved); named && named->from != nullptr)
    return listed_model{std::string(id), std::string(own_routes)};
  constexpr int not_opened = 403;
  if (auto* error = std::get_if<api_error>(&resolved); error && error->status != not_opened) return *error;
  api_error error = bad_request(in_quotes(id) + " is not in this gateway's list of models", "model", "model_not_found");
  error.status = 404;
  return error;
}

}  // namespace photofinish::gateway
