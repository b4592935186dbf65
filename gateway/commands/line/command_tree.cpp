#include "gateway/commands/line/command_tree.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstddef>
#include <utility>

namespace photofinish::gateway::commands {
namespace {

// Separates the type of a value from its allowed words. CLI11 returns both in one text, such as
// "TEXT:{all,hedge,fallback}".
void split_words(argument& made) {
  const std::size_t open = made.value.find(":{");
  if (open == std::string::npos || !made.value.ends_with('}')) return;
  for (std::size_t at = open + 2; at < made.value.size();) {
    const std::size_t end = made.value.find_first_of(",}", at);
    made.words.push_back(made.value.substr(at, end - at));
    at = end + 1;
  }
  made.value.resize(open);
}

argument read_positional(const CLI::Option& option) {
  argument made{.names = {option.get_name(true)},
                .value = option.get_type_name(),
                .words = {},
                .description = option.get_description(),
                .fallback = option.get_default_str(),
                .is_positional = true,
                .is_required = option.get_required()};
  split_words(made);
  if (made.value.empty() || made.value == "TEXT") made.value = made.names[0];
  return made;
}

argument read_option(const CLI::Option& option) {
  argument made{.names = {},
                .value = {},
                .words = {},
                .description = option.get_description(),
                .fallback = option.get_default_str(),
                .is_positional = false,
                .is_required = false};
  for (const std::string& each : option.get_snames()) made.names.push_back("-" + each);
  for (const std::string& each : option.get_lnames()) made.names.push_back("--" + each);
  if (option.get_items_expected_max() > 0) made.value = option.get_type_name();
  split_words(made);
  return made;
}

command read_command(const CLI::App& app) {
  command made{
      .name = app.get_name(), .description = app.get_description(), .notes = app.get_footer(), .arguments = {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // an option without a group is hidden
    if (option->get_positional()) made.arguments.push_back(read_positional(*option));
    argument named = read_option(*option);  // an argument that can be given by name and by position is listed twice
    if (!named.names.empty()) made.arguments.push_back(std::move(named));
  }
  return made;
}

}  // namespace

command_tree read_commands(const CLI::App& app) {
  command_tree tree{.root = read_command(app), .commands = {}};
  for (const CLI::App* each : app.get_subcommands({})) tree.commands.push_back(read_command(*each));
  return tree;
}

std::vector<std::string> names_of(const std::vector<command>& commands) {
  std::vector<std::string> names;
  for (const command& each : commands) names.push_back(each.name);
  return names;
}

}  // namespace photofinish::gateway::commands
