// What the command line consists of, as plain values read off CLI11's own tree: completions and the manual page are
// made from it, so that they cannot say anything else than --help does.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace photofinish::gateway::commands {

struct argument {
  std::vector<std::string> names;    // "-c", "--config"; of a positional its one name, "FILE"
  std::string value;                 // what an option takes: "FILE"; empty: nothing
  std::vector<std::string> words;    // all that it may be; empty: anything
  std::string description;
  std::string fallback;              // its default; empty: none that is shown
  bool is_positional = false;
  bool is_required = false;

  bool takes_file() const { return value == "FILE" || value == "FOLDER"; }
};

struct command {
  std::string name;
  std::string description;
  std::string notes;  // what stands below the options
  std::vector<argument> arguments;
};

struct command_tree {
  command root;
  std::vector<command> commands;
};

command_tree read_commands(const CLI::App& app);

std::vector<std::string> names_of(const std::vector<command>& commands);

}  // namespace photofinish::gateway::commands
