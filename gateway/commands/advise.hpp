// `photofinish advise`: prints tables of how each policy would have served a running gateway's routes.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Prints the page of GET /v1/advice as text, for one route, or for all routes if `route` is empty. Returns the exit
// code: 1 if the text is not such a page or has no such route.
int print_advice(std::string_view page, const std::string& route, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
