// Examples at the end of a command's --help: command lines that work. [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway::commands {

// Returns lines for people to copy, each indented by two spaces; empty: there are no examples for this command.
std::string_view examples_of(std::string_view command);

}  // namespace photofinish::gateway::commands
