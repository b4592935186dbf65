// `photofinish schema`: prints the configuration's JSON Schema, for editors. Needs no configuration.
#pragma once

#include <iosfwd>

namespace photofinish::gateway {

int run_schema(std::ostream& out);

}  // namespace photofinish::gateway
