#include "gateway/config/change/catalogue_change.hpp"

#include "gateway/config/target_text.hpp"
#include "gateway/log/time_text.hpp"
#include "proxy/providers/catalogue_update.hpp"

namespace photofinish::gateway {

namespace {

// Returns the first configured target that is in the previous list but not in the new list. jump_problem() compares
// only the numbers of names. Therefore it may not notice a missing target if the new list has additional names.
// However, jump_problem() does report a target that only lost its price.
std::string lost_target(const proxy::catalogue& before, const config& fresh) {
  for (const target_name& target : configured_targets(fresh)) {
    const auto provider = fresh.providers.find(target.provider);
    if (provider == fresh.providers.end() || provider->second.listed.provider.empty()) continue;
    const std::string& list = provider->second.listed.provider;
    const std::string model(target.sent_model());
    if (before.find(list, model) != nullptr && fresh.catalogue.list().find(list, model) == nullptr)
      return target.provider + "/" + model;
  }
  return {};
}

}  // namespace

std::optional<std::string> catalogue_problem(const config& running, const config& fresh) {
  const catalogue_settings& was = running.catalogue;
  const catalogue_settings& is = fresh.catalogue;
  if (is.file.empty() || is.id() == was.id()) return std::nullopt;
  if (is.as_of() < was.as_of())
    return "catalogue: " + is.file + " contains a list dated " + day_text(is.file_date) +
           ", which is older than the current list, dated " + day_text(was.as_of());
  if (is.allow_jumps) return std::nullopt;
  if (const std::string lost = lost_target(was.list(), fresh); !lost.empty())
    return "catalogue: " + is.file + " lacks " + lost +
           ", which the configuration names and the current list contains" +
           "; `allow_jumps: true` permits such changes";
  const std::string problem = proxy::jump_problem(was.list(), is.list());
  if (problem.empty()) return std::nullopt;
  return "catalogue: " + is.file + " differs too much from the current list: " + problem +
         "; `allow_jumps: true` permits such changes";
}

}  // namespace photofinish::gateway
