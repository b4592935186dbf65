// `photofinish catalogue`: shows, compares, verifies and makes lists of models.
#pragma once

#include "gateway/process/environment.hpp"

#include <ostream>
#include <string>

namespace photofinish::gateway {

struct catalogue_options {
  std::string action;    // the action: show, diff, verify or make
  // The argument of the action: a model or a provider for `show`, a list for `diff` and `verify`, and the changes for
  // `make`.
  std::string argument;
  std::string config_file, file, out, signing_key, sha256, public_key;
  bool allow_jumps = false;
};

// Returns the exit code: 0 for success, 1 if a list is refused or a name is unknown, 2 for wrong usage.
int run_catalogue(const catalogue_options& options, const environment& machine, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
