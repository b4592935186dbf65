// The setting ca_file, which several sections have: certificates that are trusted in addition to the system's. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"

#include <string>

namespace photofinish::gateway {

void read_ca_file(const section_reader& section, std::string& path);

}  // namespace photofinish::gateway
