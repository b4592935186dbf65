// `photofinish bench --every 3h --for 24h`: repeats a run, also over restarts, and reports the series.
#pragma once

#include "gateway/commands/bench/bench_flags.hpp"
#include "gateway/commands/bench/bench_outcome.hpp"
#include "gateway/commands/bench/named_endpoints.hpp"

#include <functional>
#include <vector>

namespace photofinish::gateway {

using measure_function =
    std::function<bench_outcome(const bench_flags& flags, const std::vector<named_target>& targets)>;

// `measure` makes one run and writes a report into the folder that its flags name.
bench_outcome measure_scheduled(const bench_flags& flags, const std::vector<named_target>& targets,
                                const measure_function& measure);

}  // namespace photofinish::gateway
