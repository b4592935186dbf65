// `photofinish serve`: runs the gateway until a signal stops it.
#pragma once

#include <CLI/App.hpp>

namespace photofinish::gateway {

void add_serve_command(CLI::App& app, int& exit_code);  // exit_code outlives the parsing of `app`

}  // namespace photofinish::gateway
