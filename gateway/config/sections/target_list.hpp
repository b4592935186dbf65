// The targets in the list of a route or of its rules, and the rules. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/config/config_reader.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

// The providers that a file declares. Thousands of routes look each of them up thousands of times.
struct declared_providers {
  explicit declared_providers(const section_reader& top);

  std::vector<std::string> names;
  std::set<std::string, std::less<>> set;
  bool is_known;  // false: they could not be read, so no name can be called unknown
};

// The `targets` of a section.
void read_targets(const section_reader& reader, const declared_providers& providers, const config& settings,
                  std::vector<target_name>& into);

// Warns of each target that never runs, because its facts do not meet the requirements. Reports an error if no target
// is left. `what`: "route 'fast'".
void check_required(const section_reader& reader, const std::string& what, const std::vector<target_name>& targets,
                    const proxy::required_facts& required, const config& settings);

// Reads the `rules` of a route, after the route's own race.
void read_rules(const section_reader& reader, const declared_providers& providers, const config& settings, route& into);

}  // namespace photofinish::gateway
