// photofinish bench URL: how fast an OpenAI-compatible endpoint is, and how that changes under load.
#pragma once

#include <CLI/CLI.hpp>

namespace photofinish::gateway {

void add_bench_command(CLI::App& app, int& exit_code);

}  // namespace photofinish::gateway
