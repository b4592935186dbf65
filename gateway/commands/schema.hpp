// `photofinish schema`: the configuration's JSON Schema, for editors.
// Needs no configuration.
#pragma once

#include <iosfwd>

namespace CLI {
class App;
}

namespace photofinish::gateway {

void add_schema_command(CLI::App& app, int& exit_code);  // exit_code outlives the parsing of `app`

int run_schema(std::ostream& out);

}  // namespace photofinish::gateway
