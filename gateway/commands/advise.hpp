// `photofinish advise`: prints tables that show how well each race policy would have served a running gateway's
// requests.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Prints the JSON of GET /v1/advice as text, for one route, or for all routes if `route` is empty. Returns the exit
// code, which is 1 if the JSON is not valid or does not contain the route.
int print_advice(std::string_view page, const std::string& route, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
