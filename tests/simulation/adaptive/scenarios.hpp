// The scenarios that racing by speed is judged by.
#pragma once

#include "tests/simulation/adaptive/scenario.hpp"

#include <string_view>
#include <vector>

namespace photofinish::racing {

const std::vector<scenario>& all_scenarios();
const scenario& find_scenario(std::string_view name);

// Its targets' medians and speeds, and its rate, off by up to a fifth, by the seed.
scenario varied(const scenario& original, std::uint64_t seed);

}  // namespace photofinish::racing
