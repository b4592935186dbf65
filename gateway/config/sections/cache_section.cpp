// A route's `cache`: answers that are kept for equal requests.
#include "gateway/config/sections/sections.hpp"

#include <array>

namespace photofinish::gateway {

std::optional<cache_settings> read_cache(const section_reader& route) {
  const yaml_node* node = route.find("cache");
  if (!node || node->kind == yaml_kind::null) return std::nullopt;
  const section_reader cache(route.shared(), *node, section::cache);
  cache_settings into;
  cache.read("ttl", into.ttl, zero_duration::allowed);
  cache.read("max_entries", into.max_entries);
  cache.read("max_bytes", into.max_bytes);
  constexpr std::array scopes{cache_scope::key, cache_scope::team, cache_scope::route};
  if (const auto place = cache.choice("scope")) into.scope = scopes[*place];
  cache.read("coalesce", into.coalesce);
  if (into.ttl.count() == 0 && !into.coalesce)
    cache.warn("ttl", "0s keeps no answer, and coalesce is false: the cache does nothing");
  return into;
}

}  // namespace photofinish::gateway
