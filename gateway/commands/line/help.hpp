// `photofinish help [COMMAND]`: what --help says.
#pragma once

namespace CLI {
class App;
}

namespace photofinish::gateway::commands {

void add_help_command(CLI::App& app, int& exit_code);  // exit_code outlives the parsing of `app`

}  // namespace photofinish::gateway::commands
