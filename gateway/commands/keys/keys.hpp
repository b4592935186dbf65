// `photofinish keys`: makes, shows and blocks access keys, and reports their usage.
#pragma once

#include <iosfwd>
#include <string_view>

namespace photofinish::gateway {

// Prints the page of GET /v1/usage as a table. Returns the exit code: 1 if the text is not such a page.
int print_usage(std::string_view page, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
