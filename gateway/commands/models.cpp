#include "gateway/commands/models.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/commands/config_option.hpp"
#include "gateway/commands/text_table.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/config/target_text.hpp"
#include "gateway/process/process_environment.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <vector>

namespace photofinish::gateway {
namespace {

using rows = std::vector<std::vector<std::string>>;

// Adds the table rows of a route. The first target is next to the route's name, and the other targets are below it.
void add_route(const route& each, rows& table) {
  std::string name = each.name;
  std::string policy = policy_text(each);
  for (const target_name& target : each.targets) {
    table.push_back({name, policy, target.text()});
    name.clear();
    policy.clear();
  }
}

void add_aliases(const route_aliases& aliases, rows& table) {
  for (const auto& [name, route] : aliases.names()) table.push_back({name, "alias", route});
  for (const alias_pattern& each : aliases.patterns()) table.push_back({each.text, "alias", each.route});
}

void add_direct(const proxy::provider& each, rows& table) {
  for (const std::string& model : each.models) table.push_back({each.name + "/" + model, "direct", ""});
}

}  // namespace

int run_models(const std::optional<std::string>& config_flag, const environment& machine, std::ostream& out,
               std::ostream& err) {
  const config_source source = find_config(config_flag, machine);
  const config_result result = load_config(source, machine);
  print_problems(result.problems, err);
  if (!result.is_usable()) return 2;
  rows table{{"MODEL", "POLICY", "TARGETS"}};
  for (const auto& [name, each] : result.settings.routes) add_route(each, table);
  add_aliases(result.settings.names.aliases, table);
  for (const auto& [name, each] : result.settings.providers) add_direct(each, table);
  print_table(table, out);
  return 0;
}

void add_models_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("models", "List a configuration's routes and their targets");
  // CLI11 runs the command after this function has returned. Therefore the value is in a shared pointer.
  const auto config_flag = std::make_shared<std::string>();
  add_config_argument(*command, *config_flag);
  command->callback([config_flag, &exit_code] {
    exit_code = run_models(*config_flag, process_environment(), std::cout, std::cerr);
  });
}

}  // namespace photofinish::gateway
