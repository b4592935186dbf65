// The whole command line: every verb, what is wrong with a line, and the exit code.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace photofinish::gateway::commands {

// Parsing with it runs the command that is named. exit_code outlives the parsing.
std::unique_ptr<CLI::App> make_command_line(int& exit_code);

// 0: all is well; 1: it failed while it ran; 2: wrong usage, and nothing was begun.
int run_command_line(int argc, const char* const* argv);

}  // namespace photofinish::gateway::commands
