// `photofinish check`: checks a configuration. If there are problems, it prints each in one line on stderr, in a form
// that lets editors jump to the line. Otherwise it prints a summary on stdout.
#pragma once

#include "gateway/process/environment.hpp"

#include <iosfwd>
#include <optional>
#include <string>

namespace photofinish::gateway {

// Decides whether the variables and files with secrets must exist. A check of a pull request runs without them.
enum class needed_secrets { all, none };

// Runs the command. Returns the exit code: 0, or 2 if the configuration cannot be used.
int run_check(const std::optional<std::string>& config_flag, const environment& machine, std::ostream& out,
              std::ostream& err, needed_secrets needs = needed_secrets::all);

}  // namespace photofinish::gateway
