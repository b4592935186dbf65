// `photofinish explain`: prints a race's decisions and their reasons, from a running gateway's memory.
#pragma once

#include <iosfwd>
#include <string_view>

namespace photofinish::gateway {

// Prints the page of GET /v1/races/{id} as text. Returns an exit code: 1 if the page is not such a page.
int print_race(std::string_view page, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
