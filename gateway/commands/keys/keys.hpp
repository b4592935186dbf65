// `photofinish keys`: makes, shows and blocks access keys, and reports their usage.
#pragma once

#include <iosfwd>
#include <string_view>

namespace photofinish::gateway {

// Prints the JSON of GET /v1/usage as a table. Returns the exit code: 1 if the JSON has another form.
int print_usage(std::string_view page, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
