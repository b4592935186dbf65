// Makes the configuration's JSON Schema (draft 2020-12) from the table in settings.hpp. [pure but for yaml-cpp] Editors
// use the schema to check the structure and the allowed words. `photofinish check` also checks rules that concern
// several settings.
#pragma once

#include <string>

namespace photofinish::gateway {

std::string config_schema();

}  // namespace photofinish::gateway
