// Reads the section `cache` of a route. The cache stores answers for equal requests.
#include "gateway/config/sections/sections.hpp"

namespace photofinish::gateway {

std::optional<cache_settings> read_cache(const section_reader& route) {
  const yaml_node* node = route.find("cache");
  if (!node || node->kind == yaml_kind::null) return std::nullopt;
  const section_reader cache(route.shared(), *node, section::cache);
  cache_settings into;
  cache.read_members(into);
  if (into.ttl.count() == 0 && !into.coalesce)
    cache.warn("ttl", "the cache has no effect with `ttl: 0s` and `coalesce: false`");
  return into;
}

}  // namespace photofinish::gateway
