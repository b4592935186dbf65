// The configuration's JSON Schema (draft 2020-12), made from the table in settings.hpp. [pure but for yaml-cpp]
// It serves editors: it checks shapes and words. `photofinish check` also checks rules over several settings.
#pragma once

#include <string>

namespace photofinish::gateway {

std::string config_schema();

}  // namespace photofinish::gateway
