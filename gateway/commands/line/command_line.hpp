// The whole command line: its commands, the messages about invalid command lines, and the exit code.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace photofinish::gateway::commands {

// Makes the parser of the command line. The parser runs the command that a line names. `exit_code` must outlive the
// parsing.
std::unique_ptr<CLI::App> make_command_line(int& exit_code);

// Runs a command line. Returns 0 for success and 1 for a failure during the run. Returns 2 for wrong usage, and in that
// case starts nothing.
int run_command_line(int argc, const char* const* argv);

}  // namespace photofinish::gateway::commands
