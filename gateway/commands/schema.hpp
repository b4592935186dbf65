// `photofinish schema`: prints the configuration's JSON Schema, which editors use. It needs no configuration.
#pragma once

#include <iosfwd>

namespace photofinish::gateway {

int run_schema(std::ostream& out);

}  // namespace photofinish::gateway
