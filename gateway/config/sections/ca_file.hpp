// Checks the setting ca_file, which several sections have. It names a file with certificates that are trusted in
// addition to the system's certificates. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"

#include <string>

namespace photofinish::gateway {

// Reports a problem if the file cannot be read or has no certificates. Call it after the section has read its members.
void check_ca_file(const section_reader& section, const std::string& path);

}  // namespace photofinish::gateway
