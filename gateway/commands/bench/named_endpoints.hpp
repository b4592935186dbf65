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
  std::string model;  // the name of the model; if empty, the first model that the endpoint lists
};

// Returns the targets, or an error text that begins with the name of the option. If the user gives a key only once, all
// endpoints must be on the same host.
std::variant<std::vector<named_target>, std::string> find_targets(const bench_flags& flags, const environment& machine);

void warn_of_open_key(const bench::endpoint& to);

}  // namespace photofinish::gateway
