// `photofinish man`: prints the manual page, which is made from the texts of --help.
#pragma once

#include "gateway/commands/line/command_tree.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway::commands {

// Returns the page in roff's man macros. `photofinish man | man -l -` shows it.
std::string man_page(const command_tree& tree, std::string_view version);

}  // namespace photofinish::gateway::commands
