// Profiles of AWS's command line, in ~/.aws/credentials and ~/.aws/config. [pure]
#pragma once

#include "gateway/credentials/obtained.hpp"

#include <string_view>

namespace photofinish::gateway {

// The keys of the profile with that name: of the first text, where the profile is called by its name, or of the second,
// where it is called `profile NAME`. Absent: neither knows it. Refused: its keys come from elsewhere (a role, a
// program, a sign-in).
obtaining read_aws_profile(std::string_view credentials_text, std::string_view config_text, std::string_view name);

}  // namespace photofinish::gateway
