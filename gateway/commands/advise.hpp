// `photofinish advise`: what each policy would have given a running gateway's routes, as tables.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The page of GET /v1/advice as text, of one route or, where it is empty, of all; an exit code: 1 when it is none, or
// has no such route.
int print_advice(std::string_view page, const std::string& route, std::ostream& out, std::ostream& err);

}  // namespace photofinish::gateway
