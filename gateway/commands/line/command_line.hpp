// The whole command line: its commands, the errors of a line, and the exit code.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace photofinish::gateway::commands {

// Parsing with the returned app runs the named command. exit_code must outlive the parsing.
std::unique_ptr<CLI::App> make_command_line(int& exit_code);

// Returns 0 for success; 1 if the command failed during its run; 2 for wrong usage, in which case nothing was started.
int run_command_line(int argc, const char* const* argv);

}  // namespace photofinish::gateway::commands
