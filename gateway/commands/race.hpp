// `photofinish race MODEL "PROMPT"`: one race in the terminal, attempt by attempt.
#pragma once

#include <CLI/App.hpp>

namespace photofinish::gateway {

void add_race_command(CLI::App& app, int& exit_code);  // exit_code outlives the parsing of `app`

}  // namespace photofinish::gateway
