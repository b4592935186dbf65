#include "gateway/commands/commands.hpp"

#include "gateway/commands/line/command_tree.hpp"
#include "gateway/config/yaml/near_name.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace photofinish::gateway::commands {
namespace {

constexpr int wrong_usage = 2;

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* each : app.get_subcommands({}))
    if (each->get_name() == name) return each;
  return nullptr;
}

int print_help(const CLI::App& app, const std::string& wanted) {
  const CLI::App* of = wanted.empty() ? &app : find_command(app, wanted);
  if (of) {  // CLI11's own help() would print the text about the command `help` itself
    const std::string name = wanted.empty() ? app.get_name() : app.get_name() + " " + wanted;
    std::cout << app.get_formatter()->make_help(of, name, CLI::AppFormatMode::Normal);
    return 0;
  }
  std::cerr << "error: unknown command '" << wanted << "'";
  if (const auto near = nearest(wanted, names_of(read_commands(app).commands)))
    std::cerr << "; did you mean '" << *near << "'?";
  std::cerr << "\nphotofinish --help lists them\n";
  return wrong_usage;
}

}  // namespace

void add_help_command(CLI::App& app, int& exit_code) {
  CLI::App* help = app.add_subcommand("help", "Explain a command, like COMMAND --help");
  // CLI11 runs the command after this function has returned. Therefore the value is in a shared pointer.
  const auto wanted = std::make_shared<std::string>();
  help->add_option("COMMAND", *wanted, "The command (default: list all commands)")->type_name("");
  help->callback([&app, wanted, &exit_code] { exit_code = print_help(app, *wanted); });
}

}  // namespace photofinish::gateway::commands
