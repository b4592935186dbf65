// Reads the targets of a route or of its rules, and reads the rules. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/config/config_reader.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

// The names of the providers in a configuration file. They are also stored in a set, because thousands of routes look
// up each provider thousands of times.
struct declared_providers {
  explicit declared_providers(const section_reader& top);

  std::vector<std::string> names;
  std::set<std::string, std::less<>> set;
  // False if the section `providers` could not be read; in this case no provider name is reported as unknown.
  bool is_known;
};

// Reads the list `targets` of a section.
void read_targets(const section_reader& reader, const declared_providers& providers, const config& settings,
                  std::vector<target_name>& into);

// Warns about each target that never runs because its facts do not meet the requirements. Reports an error if no target
// remains. `what` describes the route or rule in messages, such as "route 'fast'".
void check_required(const section_reader& reader, const std::string& what, const std::vector<target_name>& targets,
                    const proxy::required_facts& required, const config& settings);

// Reads the `rules` of a route. Call this after the route's own race has been read.
void read_rules(const section_reader& reader, const declared_providers& providers, const config& settings, route& into);

}  // namespace photofinish::gateway
