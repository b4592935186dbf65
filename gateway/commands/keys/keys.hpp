// `photofinish keys`: makes access keys, shows and blocks them, and reports what they used.
#pragma once

#include <iosfwd>
#include <string_view>

namespace photofinish::gateway {

// The page of GET /v1/usage as a table; an exit code: 1 when it is none.
int print_usage(std::string_view page, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
