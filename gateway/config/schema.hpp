// The configuration's JSON Schema (draft 2020-12), made from the table in settings.hpp. [pure but for yaml-cpp]
// For editors: it knows shapes and words; what spans several settings, `photofinish check` knows.
#pragma once

#include <string>

namespace photofinish::gateway {

std::string config_schema();

}  // namespace photofinish::gateway
