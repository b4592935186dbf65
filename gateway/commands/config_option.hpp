// The --config option, the same in every command that has it.
#pragma once

#include "gateway/config_problem.hpp"

#include <CLI/CLI.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway {

inline void add_config_option(CLI::App& command, std::string& into) {
  command
      .add_option("--config", into, "Configuration file (else PHOTOFINISH_CONFIG, else ./photofinish.yaml)")
      ->type_name("FILE");
}

inline void print_problems(const std::vector<config_problem>& problems, std::ostream& err) {
  for (const config_problem& problem : problems) err << to_string(problem) << '\n';
}

}  // namespace photofinish::gateway
