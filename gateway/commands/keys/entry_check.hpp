// Checks an access-key entry before it is written to a file. An entry is valid if a gateway would accept it. [pure]
#pragma once

#include "gateway/config/config.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns the problem of an entry such as "{name: alice, …}", or an empty text. If `settings` is null, the function
// assumes that the entry's teams and routes exist.
std::string entry_problem(const std::string& text, const config* settings);

// Returns the first problem in a file as "line 3: …", or an empty text. Entries with a ${VARIABLE} are not checked,
// because only the gateway's machine knows the variable's value.
std::string entries_problem(std::string_view file);

}  // namespace photofinish::gateway
