// Examples that --help prints at the end of a command's text. All of them are working command lines. [pure]
#pragma once

#include <string_view>

namespace photofinish::gateway::commands {

// Returns command lines that people can copy, each indented by two spaces. Returns an empty text if the
// command has no examples.
std::string_view examples_of(std::string_view command);

}  // namespace photofinish::gateway::commands
