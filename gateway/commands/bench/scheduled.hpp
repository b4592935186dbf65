// `photofinish bench --every 3h --for 24h`: repeats a run and reports how the results change over time. A series
// continues after a restart of the program.
#pragma once

#include "gateway/commands/bench/bench_flags.hpp"
#include "gateway/commands/bench/bench_outcome.hpp"
#include "gateway/commands/bench/named_endpoints.hpp"

#include <functional>
#include <vector>

namespace photofinish::gateway {

using measure_function =
    std::function<bench_outcome(const bench_flags& flags, const std::vector<named_target>& targets)>;

// `measure` performs one run. It writes the report into the output folder in `flags`.
bench_outcome measure_scheduled(const bench_flags& flags, const std::vector<named_target>& targets,
                                const measure_function& measure);

}  // namespace photofinish::gateway
