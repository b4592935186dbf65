#include "gateway/api/model_name.hpp"

#include "gateway/config/target_text.hpp"
#include "gateway/config/yaml/near_name.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace photofinish::gateway {
namespace {

// Returns the model names that this caller may use, without duplicates. Aliases that are patterns are left out.
std::vector<std::string> usable_names(const config& settings, const caller& who) {
  std::set<std::string> names;
  const bool may_name_targets = may_use_targets_directly(who);
  for (const auto& [name, route] : settings.routes) {
    if (may_use_route(who, name)) names.insert(name);
    if (!may_name_targets) continue;
    for (const target_name& target : route.targets) names.insert(target.text());
  }
  for (const auto& [alias, route] : settings.names.aliases.names())
    if (may_use_route(who, route)) names.insert(alias);
  return {names.begin(), names.end()};
}

api_error not_found(const config& settings, std::string_view model, const caller& who) {
  std::string message = "unknown route or target " + in_quotes(model);
  const auto near = nearest_few(model, usable_names(settings, who));
  const char* separator = "; did you mean ";
  for (const std::string& name : near) message += separator + ("'" + name + "'"), separator = " or ";
  message += near.empty() ? "; GET /v1/models lists the models" : "?";
  return {.status = 404, .message = std::move(message), .param = "model", .code = "model_not_found"};
}

api_error not_opened(std::string_view model) {
  return {.status = 403, .message = "this access key may not use " + in_quotes(model), .type = "permission_error",
          .param = "model", .code = "model_not_allowed"};
}

api_error too_long(std::string_view what, std::size_t bytes, std::size_t limit) {
  return bad_request(std::string(what) + " is " + std::to_string(bytes) + " bytes long; at most " +
                         std::to_string(limit) + " are allowed",
                     "model", "string_above_max_length");
}

std::optional<target_name> parse_target(const config& settings, std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash + 1 == text.size()) return std::nullopt;
  const std::string name(text.substr(0, slash));
  const auto provider = settings.providers.find(name);
  if (provider == settings.providers.end() || has_dot_segment(text.substr(slash + 1))) return std::nullopt;
  return target_at(provider->second, name, text.substr(slash + 1));
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

api_error too_many(std::string_view model, std::size_t limit) {
  const auto names = std::count(model.begin(), model.end(), ',') + 1;
  return bad_request("'model' lists " + std::to_string(names) + " names; at most " + std::to_string(limit) +
                         " (max_parallel) are allowed",
                     "model");
}

// Resolves a list of targets. Stops at the first invalid name, because the list comes from an untrusted client and may
// be long.
std::variant<runnable, api_error> resolve_list(const config& settings, std::string_view model, const caller& who) {
  runnable list{std::string(list_route), {}, settings.race};
  list.race.policy = racing::race_policy::all;
  std::set<std::string_view> seen;
  for (std::size_t at = 0; at <= model.size();) {
    if (list.targets.size() == list.race.max_parallel) return too_many(model, list.race.max_parallel);
    const std::size_t comma = std::min(model.find(',', at), model.size());
    const std::string_view name = trim(model.substr(at, comma - at));
    at = comma + 1;
    if (name.size() > longest_model_name) return too_long("a name in 'model'", name.size(), longest_model_name);
    auto target = parse_target(settings, name);
    if (!target) return not_found(settings, name, who);
    if (!seen.insert(name).second) return bad_request(in_quotes(name) + " is listed twice in 'model'", "model");
    list.targets.push_back(*std::move(target));
  }
  return list;
}

// True if the client's `model` is a target or a list of targets.
bool names_targets(const config& settings, std::string_view model) {
  return model.find(',') != std::string_view::npos || parse_target(settings, model);
}

// Looks for a route with this name first, then for an alias. A
// target or a list of targets is never resolved as an alias.
std::map<std::string, route>::const_iterator find_route(const config& settings, std::string_view model) {
  const auto named = settings.routes.find(std::string(model));
  if (named != settings.routes.end() || model.size() > longest_model_name) return named;
  const std::string* const aliased = settings.names.aliases.find(model);
  return aliased == nullptr || names_targets(settings, model) ? named : settings.routes.find(*aliased);
}

}  // namespace

std::variant<runnable, api_error> resolve_model(const config& settings, std::string_view model, const caller& who) {
  if (model.size() > longest_model) return too_long("'model'", model.size(), longest_model);
  if (const auto found = find_route(settings, model); found != settings.routes.end()) {
    if (!may_use_route(who, found->first)) return not_opened(model);
    return runnable{found->first, found->second.targets, found->second.race, &found->second};
  }
  if (!may_use_targets_directly(who))
    return names_targets(settings, model) ? not_opened(model) : not_found(settings, model, who);
  if (model.find(',') != std::string_view::npos) return resolve_list(settings, model, who);
  if (model.size() > longest_model_name) return too_long("'model'", model.size(), longest_model_name);
  auto target = parse_target(settings, model);
  if (!target) return not_found(settings, model, who);
  runnable direct{std::string(direct_route), {*std::move(target)}, settings.race};
  direct.race.policy = direct.race.policy.value_or(racing::race_policy::all);
  return direct;
}

bool may_call_directly(const config& settings, const target_name& target) {
  const auto found = settings.providers.find(target.provider);
  if (found == settings.providers.end()) return false;
  const auto& models = found->second.models;
  // Compares model names without their tier. Clients may choose the tier in each request, so access to a model includes
  // all of its tiers.
  const auto is_it = [&](const std::string& model) {
    return model == target.model || model == "*" || model == target.sent_model();
  };
  if (std::any_of(models.begin(), models.end(), is_it)) return true;
  const auto is_target = [&target](const target_name& each) { return each == target; };
  return std::any_of(settings.routes.begin(), settings.routes.end(),
                     [&](const auto& entry) { return names_target(entry.second, is_target); });
}

}  // namespace photofinish::gateway
