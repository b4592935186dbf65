// `photofinish version`: version, commit, compiler, libraries.
#pragma once

#include "metrics/exposition.hpp"

#include <CLI/App.hpp>

#include <string>

namespace photofinish::gateway {

void add_version_command(CLI::App& app);

std::string version_text();
metrics::build_facts this_build();

}  // namespace photofinish::gateway
