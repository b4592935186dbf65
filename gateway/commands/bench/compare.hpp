// photofinish bench URL URL...: several endpoints or input sizes in one run, and one scorecard.
#pragma once

#include "gateway/commands/bench/bench_flags.hpp"
#include "gateway/commands/bench/named_endpoints.hpp"

#include <vector>

namespace photofinish::gateway {

// The exit code: 0 measured, 1 an endpoint did not answer, 2 wrong usage, 128 and the signal that ended it.
int compare(const bench_flags& flags, std::vector<named_target> targets);

}  // namespace photofinish::gateway
