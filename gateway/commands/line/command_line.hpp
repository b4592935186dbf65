// The whole command line: its commands, the messages about wrong lines, and the exit code.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace photofinish::gateway::commands {

// Makes the parser of the command line. When it parses a line, it runs the named command. `exit_code` must
// outlive the parsing.
std::unique_ptr<CLI::App> make_command_line(int& exit_code);

// Runs a command line. Returns 0 for success and 1 for a failure during the run. Returns 2 for wrong usage; then
// nothing was started.
int run_command_line(int argc, const char* const* argv);

}  // namespace photofinish::gateway::commands
