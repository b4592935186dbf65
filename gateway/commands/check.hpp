// `photofinish check`: checks a configuration. Prints one line per problem on stderr, in the form that editors can jump
// to, or a summary on stdout.
#pragma once

#include "gateway/process/environment.hpp"

#include <iosfwd>
#include <optional>
#include <string>

namespace photofinish::gateway {

// Whether the variables and files that a configuration names must exist. A pull request is checked without them.
enum class needed_secrets { all, none };

// Runs the command. Returns its exit code: 0, or 2 if the configuration cannot be used.
int run_check(const std::optional<std::string>& config_flag, const environment& machine, std::ostream& out,
              std::ostream& err, needed_secrets needs = needed_secrets::all);

}  // namespace photofinish::gateway
