#include "gateway/commands/check.hpp"

#include "gateway/commands/config_option.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/credentials/credential_places.hpp"
#include "gateway/process/process_environment.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace photofinish::gateway {
namespace {

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

int run_check(const std::optional<std::string>& config_flag, const environment& machine, std::ostream& out,
              std::ostream& err) {
  const config_source source = find_config(config_flag, machine);
  const config_result result = load_config(source, machine);
  print_problems(result.problems, err);
  if (!result.is_usable()) return 2;
  if (source.origin == config_origin::zero_config && result.settings.providers.empty()) {
    out << "ok, but there is nothing to check: this folder has no photofinish.yaml, and no variable holds the key of a "
           "known provider (photofinish providers lists them). `serve` would race three simulated providers.\n";
    return 0;
  }
  out << "ok: " << describe(source) << ": " << counted(result.settings.providers.size(), "provider") << ", "
      << counted(result.settings.routes.size(), "route") << '\n'
      << credential_places(result.settings, machine);
  return 0;
}

void add_check_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("check", "Validate a configuration: exit 0 or 2");
  const auto config_flag = std::make_shared<std::string>();  // lives as long as the callback that CLI11 keeps
  add_config_argument(*command, *config_flag);
  command->callback([config_flag, &exit_code] {
    exit_code = run_check(*config_flag, process_environment(), std::cout, std::cerr);
  });
}

}  // namespace photofinish::gateway
