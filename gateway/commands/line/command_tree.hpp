// The contents of the command line as plain values, read from CLI11. Completions and the manual page are made from
// them, so they always agree with --help.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace photofinish::gateway::commands {

struct argument {
  std::vector<std::string> names;    // "-c", "--config"; a positional argument has one name: "FILE"
  std::string value;                 // the value of an option: "FILE"; empty: the option has no value
  std::vector<std::string> words;    // the allowed values; empty: any value
  std::string description;
  std::string fallback;              // the default; empty: no default is shown
  bool is_positional = false;
  bool is_required = false;

  bool takes_file() const { return value == "FILE" || value == "FOLDER"; }
};

struct command {
  std::string name;
  std::string description;
  std::string notes;  // the text below the options
  std::vector<argument> arguments;
};

struct command_tree {
  command root;
  std::vector<command> commands;
};

command_tree read_commands(const CLI::App& app);

std::vector<std::string> names_of(const std::vector<command>& commands);

}  // namespace photofinish::gateway::commands
