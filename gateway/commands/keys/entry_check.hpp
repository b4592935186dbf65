// Whether a gateway takes what stands in a file of access keys, before it is written there. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// What is wrong with one entry, as "{name: alice, …}"; empty: nothing. Null: the teams and routes that it names are
// there.
std::string entry_problem(const std::string& text, const config* settings);

// The first entry of a file with something wrong, as "line 3: …"; empty: none. Entries with a ${VARIABLE} are passed
// over: what it gives is known where the gateway runs.
std::string entries_problem(std::string_view file);

}  // namespace photofinish::gateway
