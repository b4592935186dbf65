// `photofinish explain`: what a race decided and why, as a running gateway keeps it.
#pragma once

#include <iosfwd>
#include <string_view>

namespace photofinish::gateway {

// The page of GET /v1/races/{id} as text; an exit code: 1 when it is none.
int print_race(std::string_view page, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
