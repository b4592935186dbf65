// `photofinish explain`: prints a race's decisions and their reasons. A running gateway keeps them in its memory.
#pragma once

#include <iosfwd>
#include <string_view>

namespace photofinish::gateway {

// Prints the JSON of GET /v1/races/{id} as text. Returns the exit code, which is 1 if the JSON does not have the
// expected form.
int print_race(std::string_view page, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
