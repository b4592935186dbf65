// Checks whether a gateway would accept an entry of an access-key file, before the entry is written. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns the problem of one entry, for example of "{name: alice, …}"; empty: none. If `settings` is null, the teams
// and routes that the entry names are assumed to exist.
std::string entry_problem(const std::string& text, const config* settings);

// Returns the first problem in a file, as "line 3: …"; empty: none. Entries with a ${VARIABLE} are not checked,
// because only the gateway's machine knows its value.
std::string entries_problem(std::string_view file);

}  // namespace photofinish::gateway
