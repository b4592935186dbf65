// A gateway and its providers in virtual time: requests arrive, the product's own rules plan and race them, and the steps of their attempts
// are learned once a second. This code decides nothing; it carries decisions out.
#pragma once

#include "tests/simulation/adaptive/run_result.hpp"
#include "tests/simulation/adaptive/scenario.hpp"

#include <cstdint>

namespace photofinish::racing {

run_result run_world(const scenario& world, racer how, std::uint64_t seed, const run_options& options = {});

}  // namespace photofinish::racing
