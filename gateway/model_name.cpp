#include "gateway/model_name.hpp"

#include "gateway/near_name.hpp"

#include <algorithm>
#include <optional>

namespace photofinish::gateway {
namespace {

api_error not_found(const config& settings, std::string_view model) {
  std::vector<std::string> names;
  for (const auto& [name, route] : settings.routes) {
    names.push_back(name);
    for (const target_name& target : route.targets) names.push_back(target.text());
  }
  std::string message = "there is no route or target '" + std::string(model.substr(0, 200)) + "'";
  const auto near = nearest_few(model.substr(0, 200), names);
  const char* separator = "; did you mean ";
  for (const std::string& name : near) message += separator + ("'" + name + "'"), separator = " or ";
  message += near.empty() ? "; GET /v1/models lists what is served" : "?";
  api_error error = bad_request(std::move(message), "model", "model_not_found");
  error.status = 404;
  return error;
}

std::optional<target_name> parse_target(const config& settings, std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash + 1 == text.size()) return std::nullopt;
  target_name target{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
  if (!settings.providers.contains(target.provider)) return std::nullopt;
  return target;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::variant<runnable, api_error> resolve_list(const config& settings, std::string_view model) {
  runnable list{std::string(list_route), {}, settings.race};
  list.race.policy = racing::race_policy::all;
  for (std::size_t at = 0; at <= model.size();) {
    const std::size_t comma = std::min(model.find(',', at), model.size());
    const std::string_view name = trim(model.substr(at, comma - at));
    at = comma + 1;
    const auto target = parse_target(settings, name);
    if (!target) return not_found(settings, name);
    if (std::find(list.targets.begin(), list.targets.end(), *target) != list.targets.end())
      return bad_request("'" + target->text() + "' is listed twice in 'model'", "model");
    list.targets.push_back(*target);
  }
  if (list.targets.size() > list.race.max_parallel)
    return bad_request("'model' lists " + std::to_string(list.targets.size()) + " targets; at most max_parallel, " +
                           std::to_string(list.race.max_parallel) + ", are raced",
                       "model");
  return list;
}

}  // namespace

std::variant<runnable, api_error> resolve_model(const config& settings, std::string_view model) {
  if (const auto found = settings.routes.find(std::string(model)); found != settings.routes.end())
    return runnable{found->first, found->second.targets, found->second.race};
  if (const auto target = parse_target(settings, model); target && target->model.find(',') == std::string::npos) {
    runnable direct{std::string(direct_route), {*target}, settings.race};
    direct.race.policy = direct.race.policy.value_or(racing::race_policy::all);
    return direct;
  }
  if (model.find(',') != std::string_view::npos) return resolve_list(settings, model);
  return not_found(settings, model);
}

bool may_call_directly(const config& settings, const target_name& target) {
  const auto found = settings.providers.find(target.provider);
  if (found == settings.providers.end()) return false;
  const auto& models = found->second.models;
  const auto is_it = [&](const std::string& model) { return model == target.model || model == "*"; };
  if (std::any_of(models.begin(), models.end(), is_it)) return true;
  for (const auto& [name, route] : settings.routes)
    if (std::find(route.targets.begin(), route.targets.end(), target) != route.targets.end()) return true;
  return false;
}

}  // namespace photofinish::gateway
