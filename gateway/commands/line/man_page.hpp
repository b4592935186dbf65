// `photofinish man`: the manual page, made from the same texts as --help.
#pragma once

#include "gateway/commands/line/command_tree.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway::commands {

// In the man macros of roff: `photofinish man | man -l -`.
std::string man_page(const command_tree& tree, std::string_view version);

}  // namespace photofinish::gateway::commands
