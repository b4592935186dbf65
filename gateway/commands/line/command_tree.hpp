// The commands and options of the command line as plain values, read from CLI11. Completions and the manual page are
// made from these values, so they always agree with --help.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace photofinish::gateway::commands {

struct argument {
  // The names, such as "-c" and "--config". A positional argument has one name, such as "FILE".
  std::vector<std::string> names;
  std::string value;                 // the kind of the option's value, such as "FILE"; empty if the option has no value
  std::vector<std::string> words;    // the allowed values; if empty, any value is allowed
  std::string description;
  std::string fallback;              // the default value; empty if no default is shown
  bool is_positional = false;
  bool is_required = false;

  bool takes_file() const { return value == "FILE" || value == "FOLDER"; }
};

struct command {
  std::string name;
  std::string description;
  std::string notes;  // the text that --help shows below the options
  std::vector<argument> arguments;
};

struct command_tree {
  command root;
  std::vector<command> commands;
};

command_tree read_commands(const CLI::App& app);

std::vector<std::string> names_of(const std::vector<command>& commands);

}  // namespace photofinish::gateway::commands
