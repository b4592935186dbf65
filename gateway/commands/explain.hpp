// `photofinish explain`: prints the decisions of a race with their reasons. A running gateway has them in its memory.
#pragma once

#include <iosfwd>
#include <string_view>

namespace photofinish::gateway {

// Prints the page of GET /v1/races/{id} as text. Returns the exit code: 1 if the text is not such a page.
int print_race(std::string_view page, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
