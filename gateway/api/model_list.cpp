#include "gateway/api/model_list.hpp"

#include "gateway/api/model_name.hpp"
#include "proxy/failures/foreign_text.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <map>

namespace photofinish::gateway {
namespace {

constexpr std::string_view own_routes = "photofinish";
constexpr std::size_t shown_bytes = 200;  // of a client's text in an error

std::string entry(std::string_view id, std::string_view owner, std::chrono::sys_seconds created) {
  return R"({"id":)" + proxy::json_quote(id) + R"(,"object":"model","created":)" +
         std::to_string(created.time_since_epoch().count()) + R"(,"owned_by":)" + proxy::json_quote(owner) + "}";
}

// Ids and their owners: routes first, then targets, each once.
std::vector<std::pair<std::string, std::string>> models_of(const config& settings, const caller& who) {
  std::vector<std::pair<std::string, std::string>> models;
  std::map<std::string, std::string> targets;
  for (const auto& [name, route] : settings.routes) {
    if (!may_use_route(who, name)) continue;
    models.emplace_back(name, own_routes);
    if (!may_use_targets_directly(who)) continue;
    for (const target_name& target : route.targets) targets.emplace(target.text(), target.provider);
  }
  if (may_use_targets_directly(who))
    for (const auto& [name, provider] : settings.providers)
      for (const std::string& model : provider.models)
        if (model != "*") targets.emplace(name + "/" + model, name);
  models.insert(models.end(), targets.begin(), targets.end());
  return models;
}

}  // namespace

std::string list_models(const config& settings, const caller& who, std::chrono::sys_seconds created) {
  std::string data;
  for (const auto& [id, owner] : models_of(settings, who))
    data += (data.empty() ? "" : ",") + entry(id, owner, created);
  return R"({"object":"list","data":[)" + data + "]}";
}

std::variant<std::string, api_error> describe_model(const config& settings, const caller& who, std::string_view id,
                                                    std::chrono::sys_seconds created) {
  for (const auto& [name, owner] : models_of(settings, who))
    if (name == id) return entry(name, owner, created);
  auto resolved = resolve_model(settings, id, who);
  constexpr int not_opened = 403;
  if (auto* error = std::get_if<api_error>(&resolved); error && error->status != not_opened) return *error;
  api_error error = bad_request("'" + proxy::clean_text(id, shown_bytes) + "' is not in this gateway's list of models",
                                "model", "model_not_found");
  error.status = 404;
  return error;
}

}  // namespace photofinish::gateway
