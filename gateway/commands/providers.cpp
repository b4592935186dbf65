#include "gateway/commands/providers.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/commands/text_table.hpp"
#include "gateway/process/process_environment.hpp"
#include "proxy/providers/presets.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

std::vector<std::string> row_of(const std::string& name, const proxy::preset& known,
                                const environment& machine) {
  std::string variables;
  bool is_set = false;
  for (const std::string& variable : known.key_variables) {
    variables += (variables.empty() ? "" : ", ") + variable;
    is_set = is_set || machine.variable(variable);
  }
  const std::string state = is_set ? "set" : known.defaults.key.is_optional ? "not needed" : "not set";
  return {name, variables.empty() ? "-" : variables, state, known.as_of, known.base_url};
}

}  // namespace

int run_providers(const environment& machine, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"PRESET", "KEY VARIABLE", "KEY", "AS OF", "BASE URL"}};
  for (const auto& [name, known] : proxy::presets()) rows.push_back(row_of(name, known, machine));
  print_table(rows, out);
  return 0;
}

void add_providers_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("providers", "List the known providers and whether their keys are set");
  command->callback([&exit_code] { exit_code = run_providers(process_environment(), std::cout); });
}

}  // namespace photofinish::gateway
