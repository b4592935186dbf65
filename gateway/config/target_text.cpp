#include "gateway/config/target_text.hpp"

#include "proxy/providers/service_tiers.hpp"

#include <algorithm>
#include <set>

namespace photofinish::gateway {

std::optional<target_name> parse_target(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view provider = text.substr(0, slash);
  const std::string_view model = text.substr(slash + 1);
  if (provider.empty() || model.empty() || !is_printable(text)) return std::nullopt;
  return target_name{std::string(provider), std::string(model)};
}

target_name target_at(const proxy::provider& provider, std::string_view name, std::string_view model) {
  return {std::string(name), std::string(model), proxy::tier_in_name(provider, model)};
}

std::vector<target_name> configured_targets(const config& settings) {
  std::vector<target_name> targets;
  std::set<std::string> seen;
  const auto add = [&](const target_name& each) {
    if (seen.insert(each.text()).second) targets.push_back(each);
    return false;
  };
  for (const auto& [name, each] : settings.routes) (void)names_target(each, add);
  for (const auto& [name, each] : settings.providers)
    for (const std::string& model : each.models)
      if (model != "*") add(target_at(each, name, model));
  return targets;
}

std::string policy_text(const route& each) {
  if (each.targets.size() == 1) return "one target";
  return std::string(to_string(each.race.policy.value_or(racing::race_policy::all)));
}

bool is_provider_name(std::string_view text) {
  const auto is_allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  };
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), is_allowed);
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return code > 0x20 && code != 0x7F;
  });
}

bool has_dot_segment(std::string_view model) {
  while (true) {
    const std::string_view part = model.substr(0, model.find('/'));
    if (part == "." || part == "..") return true;
    if (part.size() == model.size()) return false;
    model.remove_prefix(part.size() + 1);
  }
}

}  // namespace photofinish::gateway
