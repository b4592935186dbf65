// `photofinish completion SHELL`: prints a script that makes a shell complete commands and options.
#pragma once

#include "gateway/commands/line/command_tree.hpp"

#include <string>

namespace photofinish::gateway::commands {

std::string bash_completion(const command_tree& tree);
std::string zsh_completion(const command_tree& tree);
std::string fish_completion(const command_tree& tree);

}  // namespace photofinish::gateway::commands
