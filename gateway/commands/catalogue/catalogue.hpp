// `photofinish catalogue`: shows, compares, verifies and makes lists of models.
#pragma once

#include "gateway/process/environment.hpp"

#include <ostream>
#include <string>

namespace photofinish::gateway {

struct catalogue_options {
  std::string action;    // show, diff, verify, make
  std::string argument;  // of show a model or provider, of diff and verify a list, of make the changes
  std::string config_file, file, out, signing_key, sha256, public_key;
  bool allow_jumps = false;
};

// Exit codes: 0; 1 for a list that is refused, or unknown; 2 for a wrong use.
int run_catalogue(const catalogue_options& options, const environment& machine, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
