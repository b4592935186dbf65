// `photofinish bench URL URL...`: measures several endpoints or input sizes in one run, and prints one scorecard.
#pragma once

#include "gateway/commands/bench/bench_flags.hpp"
#include "gateway/commands/bench/bench_outcome.hpp"
#include "gateway/commands/bench/named_endpoints.hpp"

#include <vector>

namespace photofinish::gateway {

bench_outcome compare(const bench_flags& flags, std::vector<named_target> targets);

}  // namespace photofinish::gateway
