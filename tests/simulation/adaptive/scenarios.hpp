// The scenarios for tests of races that choose their targets by speed.
#pragma once

#include "tests/simulation/adaptive/scenario.hpp"

#include <string_view>
#include <vector>

namespace photofinish::racing {

const std::vector<scenario>& all_scenarios();
const scenario& find_scenario(std::string_view name);

// Changes the targets' medians and speeds and the request rate at random. Each changes by up to one fifth, and the seed determines the
// changes.
scenario varied(const scenario& original, std::uint64_t seed);

}  // namespace photofinish::racing
