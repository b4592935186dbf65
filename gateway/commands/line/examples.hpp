// What stands below a command's --help: command lines that work. [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway::commands {

// Lines for people to copy, each indented by two spaces; empty: none for this command.
std::string_view examples_of(std::string_view command);

}  // namespace photofinish::gateway::commands
