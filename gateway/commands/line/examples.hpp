// Examples for the end of a command's --help. They are command lines that work. [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway::commands {

// Returns command lines that people can copy, each indented by two spaces. Returns an empty text if the
// command has no examples.
std::string_view examples_of(std::string_view command);

}  // namespace photofinish::gateway::commands
