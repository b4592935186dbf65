// `photofinish sim`: a simulated provider on a port, until SIGINT or SIGTERM.
#pragma once

namespace CLI {
class App;
}

namespace photofinish::gateway::commands {

// Adds the verb. Parsing a command line that names it runs it; `exit_code` is then 0, 1 (failed while
// running, such as a port in use) or 2 (wrong usage), and outlives the parse.
void add_sim_command(CLI::App& app, int& exit_code);

}  // namespace photofinish::gateway::commands
