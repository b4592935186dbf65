// The scenarios in which choosing targets by speed is tested.
#pragma once

#include "tests/simulation/adaptive/scenario.hpp"

#include <string_view>
#include <vector>

namespace photofinish::racing {

const std::vector<scenario>& all_scenarios();
const scenario& find_scenario(std::string_view name);

// Changes the targets' medians and speeds, and the rate of requests, by up to a fifth, depending on the seed.
scenario varied(const scenario& original, std::uint64_t seed);

}  // namespace photofinish::racing
