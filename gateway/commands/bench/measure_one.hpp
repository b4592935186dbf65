// `photofinish bench URL`: measures one endpoint under rising load.
#pragma once

#include "gateway/commands/bench/bench_flags.hpp"
#include "gateway/commands/bench/bench_outcome.hpp"
#include "gateway/commands/bench/named_endpoints.hpp"

namespace photofinish::gateway {

bench_outcome measure_one(const bench_flags& flags, named_target target);

}  // namespace photofinish::gateway
