// `photofinish man`: prints the manual page, made from the texts of --help.
#pragma once

#include "gateway/commands/line/command_tree.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway::commands {

// Returns the page in roff's man macros. View it with `photofinish man | man -l -`.
std::string man_page(const command_tree& tree, std::string_view version);

}  // namespace photofinish::gateway::commands
