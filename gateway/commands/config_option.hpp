// The option --config, which is the same in all commands that have it.
#pragma once

#include "gateway/config/yaml/config_problem.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <CLI/CLI.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway {

inline void add_config_option(CLI::App& command, std::string& into) {
  command
      .add_option("-c,--config", into, "Configuration file (default: PHOTOFINISH_CONFIG, otherwise ./photofinish.yaml)")
      ->type_name("FILE");
}

// Accepts the path of the configuration even without --config, as in `photofinish check FILE`. People often try this
// form first.
inline void add_config_argument(CLI::App& command, std::string& into) {
  add_config_option(command, into);
  command.add_option("FILE", into, "The same as --config")->type_name("")->excludes("--config");
}

inline void print_problems(const std::vector<config_problem>& problems, std::ostream& err) {
  const shown_problems shown = to_show(problems);
  for (const config_problem& problem : shown.first) err << proxy::shown_text(to_string(problem)) << '\n';
  if (shown.more > 0) err << "and " << shown.more << " more\n";
}

}  // namespace photofinish::gateway
