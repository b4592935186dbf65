// Simulates a gateway and its providers in virtual time. Requests arrive, the product's own rules plan their races, and the forecaster
// evaluates the events of the attempts once a second. All decisions are made by the product's code.
#pragma once

#include "tests/simulation/adaptive/run_result.hpp"
#include "tests/simulation/adaptive/scenario.hpp"

#include <cstdint>

namespace photofinish::racing {

run_result run_world(const scenario& world, racer how, std::uint64_t seed, const run_options& options = {});

}  // namespace photofinish::racing
