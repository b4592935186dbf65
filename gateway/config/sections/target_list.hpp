// The targets that a route, or a rule of it, lists; and its rules. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/config/config_reader.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

// The providers that a file declares; with thousands of routes each is looked up thousands of times.
struct declared_providers {
  explicit declared_providers(const section_reader& top);

  std::vector<std::string> names;
  std::set<std::string, std::less<>> set;
  bool is_known;  // false: they could not be read, and no name can be called unknown
};

// The `targets` of a section.
void read_targets(const section_reader& reader, const declared_providers& providers, const config& settings,
                  std::vector<target_name>& into);

// Warns of each target that never takes part, because its facts are not what is required; none left is an error.
// `what`: "route 'fast'".
void check_required(const section_reader& reader, const std::string& what, const std::vector<target_name>& targets,
                    const proxy::required_facts& required, const config& settings);

// The `rules` of a route, whose own race has been read.
void read_rules(const section_reader& reader, const declared_providers& providers, const config& settings, route& into);

}  // namespace photofinish::gateway
