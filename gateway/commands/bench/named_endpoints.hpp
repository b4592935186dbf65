// Finds the endpoints at the URLs that the user typed, each with its model and its key.
#pragma once

#include "gateway/bench/load/endpoint.hpp"
#include "gateway/commands/bench/bench_flags.hpp"
#include "gateway/process/environment.hpp"

#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {

struct named_target {
  bench::endpoint to;
  std::string model;  // name of the model; if empty, the first model that the endpoint lists
};

// Returns the targets, or the text of an error with the name of its option. A key that the user gives only once may be
// used for one host only.
std::variant<std::vector<named_target>, std::string> find_targets(const bench_flags& flags, const environment& machine);

void warn_of_open_key(const bench::endpoint& to);

}  // namespace photofinish::gateway
