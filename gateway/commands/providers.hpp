// `photofinish providers`: every preset, where it is, which variable holds its key, and whether that is set.
// Needs no configuration.
#pragma once

#include "gateway/process/environment.hpp"

#include <iosfwd>

namespace CLI {
class App;
}

namespace photofinish::gateway {

void add_providers_command(CLI::App& app, int& exit_code);  // exit_code outlives the parsing of `app`

int run_providers(const environment& machine, std::ostream& out);

}  // namespace photofinish::gateway
