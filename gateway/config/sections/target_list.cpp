#include "gateway/config/sections/target_list.hpp"

#include "gateway/config/sections/sections.hpp"
#include "gateway/config/target_text.hpp"
#include "proxy/providers/presets.hpp"
#include "proxy/providers/service_tiers.hpp"
#include "proxy/words/contains.hpp"

namespace photofinish::gateway {
namespace {

// Makes the message about an unknown provider. `written` is the target as written in the file, so that the message
// shows no variable's value.
std::string unknown_provider(const std::string& name, const std::string& written,
                             const std::vector<std::string>& providers) {
  // The maximum number of candidates for a suggestion. A limit is needed because each wrong name in the file is
  // compared with all candidates.
  constexpr std::size_t most_candidates = 1'000;
  if (proxy::presets().contains(name))
    return "the provider '" + name + "' is not configured: add `" + name + ": {}` to `providers`";
  std::vector<std::string> candidates;
  if (providers.size() <= most_candidates) candidates = providers;
  for (const auto& [preset, known] : proxy::presets()) candidates.push_back(preset);
  const std::string& reported = has_variable(written) ? written : name;
  return "unknown provider '" + reported + "'" + did_you_mean(name, candidates);
}

// Reads a target. Reports problems at the target's own position in the list.
void read_target(const section_reader& reader, std::size_t place, const std::string& text,
                 const declared_providers& providers, const config& settings, std::vector<target_name>& into) {
  const yaml_node& item = reader.find("targets")->items[place];
  const auto refuse = [&](const std::string& why) { reader.shared().error(item.at, "targets: " + why); };
  auto target = parse_target(text);
  if (!target) return refuse("'" + text + "' is not a target: write provider/model");
  if (!providers.set.contains(target->provider)) {
    const auto& suggested = reader.shared().suggested_providers;
    const bool is_consequence = !providers.is_known || suggested.contains(target->provider);
    return is_consequence ? void() : refuse(unknown_provider(target->provider, item.text, providers.names));
  }
  if (proxy::contains(into, *target)) return refuse(text + " is listed twice");
  const auto provider = settings.providers.find(target->provider);
  if (provider != settings.providers.end()) target->tier = proxy::tier_in_name(provider->second, target->model);
  const bool may_rewrite = provider != settings.providers.end() && !provider->second.behaves.append_only;
  if (may_rewrite && reader.find("targets")->items.size() > 1)
    return refuse(text + " cannot race other targets, because its provider rewrites text while it streams "
                         "(`append_only: false`)");
  if (has_dot_segment(target->model))
    reader.shared().warn(item.at, "targets: " + text + " has '.' or '..' as a path segment of its model, which would "
                                                       "change the path of the provider's URL");
  into.push_back(*target);
}

}  // namespace

declared_providers::declared_providers(const section_reader& top)
    : names(declared_names(top, "providers")),
      set(names.begin(), names.end()),
      is_known(knows_names(top, "providers")) {}

void read_targets(const section_reader& reader, const declared_providers& providers, const config& settings,
                  std::vector<target_name>& into) {
  std::vector<std::string> texts;
  if (reader.read("targets", texts) && texts.empty())
    reader.error("targets", "is empty: name at least one target, as provider/model");
  for (std::size_t i = 0; i < texts.size(); ++i) read_target(reader, i, texts[i], providers, settings, into);
}

}  // namespace photofinish::gateway
