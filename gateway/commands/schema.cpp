#include "gateway/commands/schema.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/config/schema.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace photofinish::gateway {

int run_schema(std::ostream& out) {
  out << config_schema();
  return 0;
}

void add_schema_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("schema", "Print the configuration's JSON Schema");
  command->callback([&exit_code] { exit_code = run_schema(std::cout); });
}

}  // namespace photofinish::gateway
