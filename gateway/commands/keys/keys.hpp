// `photofinish keys`: makes, shows and blocks access keys, and reports their usage.
#pragma once

#include <iosfwd>
#include <string_view>

namespace photofinish::gateway {

// Prints the JSON of GET /v1/usage as a table. Returns the exit code, which is 1 if the JSON does not have the expected
// form.
int print_usage(std::string_view page, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
