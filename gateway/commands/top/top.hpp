// `photofinish top`: what a running gateway does now, refreshed in place; where the output is not a terminal, plain
// lines.
#pragma once

namespace CLI {
class App;
}

namespace photofinish::gateway {

void add_top_command(CLI::App& app, int& exit_code);  // exit_code outlives the parsing of `app`

}  // namespace photofinish::gateway
